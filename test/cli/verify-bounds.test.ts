import { PassThrough } from "node:stream";
import { describe, expect, test, vi } from "vitest";
import { type VerifyFlags, verify } from "../../cli/commands/verify.ts";
import type { Law } from "../../verify/index.ts";
import { silentIo } from "./in-process.ts";

const { MOST, careless } = vi.hoisted(() => {
  const law: Law = {
    id: "OWN",
    title: "the law is sound",
    violation: ({ after }) => {
      if (after.state === "idle.failed") throw new TypeError("nothing there");
      return undefined;
    },
  };
  return { MOST: 40, careless: law };
});

vi.mock("../../verify/exploration.ts", async (original) => ({
  ...(await original<typeof import("../../verify/exploration.ts")>()),
  MAX_STATES: MOST,
}));
vi.mock("../../verify/laws/laws.ts", async (original) => {
  const sound = await original<typeof import("../../verify/laws/laws.ts")>();
  return { ...sound, ALL_LAWS: [...sound.ALL_LAWS, careless] };
});

async function run(flags: Partial<VerifyFlags>, stderr = new PassThrough()) {
  const io = Object.assign(silentIo(), { stderr });
  const code = await verify({ format: "text", calls: 0, tools: "read", ...flags }, io);
  return { code, stdout: String(io.stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
}

describe("bounds that make too many states", () => {
  test("are rejected: the exploration, the size and depth reached, and what to do (L14)", async () => {
    const { code, stdout, stderr } = await run({ law: ["L1"] });
    expect(stderr).toMatch(
      /^\[CLI\] Error: exploration "asked" stopped at (\d+) states, depth \d+: expected at most 40\. Lower the bounds, or raise --max-states\.\n$/,
    );
    expect(Number(/stopped at (\d+)/.exec(stderr)?.[1])).toBeGreaterThanOrEqual(MOST);
    expect(stdout).toMatch(/: cut$/m);
    expect(stdout).toContain("holds as far as it went");
    expect(code).toBe(1);
  });

  test("are accepted with a higher --max-states", async () => {
    const { code, stdout, stderr } = await run({ law: ["L1"], maxStates: 10_000 });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/: complete$/m);
    expect(code).toBe(0);
  });
});

describe("the progress of a run", () => {
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true });
  const FAR = { law: ["L1"], maxStates: 10_000, interruptions: 1 };
  const clear = "\r\u001b[K";

  test("is one line on a terminal, which is removed at the end", async () => {
    const { stderr } = await run(FAR, terminal());
    const [before, ...shown] = stderr.split(clear);
    expect(before).toBe("");
    expect(shown.length).toBeGreaterThanOrEqual(3);
    expect(shown.at(-2)).toMatch(/^1 of 1 explorations, \d+ states, \d+ steps$/);
    expect(shown.at(-1)).toBe("");
    for (const line of shown.slice(0, -1))
      expect(line).toMatch(/^[01] of 1 explorations, \d+ states, \d+ steps$/);
  });

  test("counts up", async () => {
    const { stderr } = await run(FAR, terminal());
    const states = [...stderr.matchAll(/(\d+) states/g)].map(([, count]) => Number(count));
    expect(states).toEqual(states.toSorted((a, b) => a - b));
    expect(states[0]).toBeLessThan(states.at(-1) ?? 0);
  });

  test("is reported nowhere else", async () => {
    const { stderr } = await run(FAR);
    expect(stderr).toBe("");
  });
});

describe("a law that throws", () => {
  test("is a broken law: the error, and the state, with a path to it", async () => {
    const { code, stdout } = await run({ law: ["OWN"], maxStates: 10_000 });
    expect(stdout).toMatch(/^OWN +the law is sound .*broken +machine$/m);
    expect(stdout).toContain(
      "OWN: the law threw TypeError: nothing there at streaming.preparing, context.failed -> idle.failed\n",
    );
    expect(stdout).toMatch(/^context\.failed \{.*\}\n {4}stop context context$/m);
    expect(code).toBe(1);
  });
});
