import { existsSync, readFileSync, watch } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { POLICIES } from "../../../cli/control/policies/policies.ts";
import { build } from "../built.ts";
import { Process, temporaryFolder } from "../process.ts";
import { rowsOf, SANDBOX_FLAGS } from "./suite.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const SUITE = [
  ...["control", "run", "--jobs", "2", "--samples", "2", ...SANDBOX_FLAGS],
  ...["--setting", "hidden-user", "--setting", "pin-older", "--setting", "leak-env"],
  ...["--protocol", "trusted monitoring", "--protocol", "random audit"],
];

test("all protocols run in a setting, from the built command", async () => {
  const { bin } = await build();
  const out = path.join(folder.path, "all.jsonl");
  const run = new Process(bin, [
    "control",
    "run",
    ...SANDBOX_FLAGS,
    "--setting",
    "hidden-user",
    "--out",
    out,
  ]);
  expect(await run.code).toBe(0);
  expect(new Set(rowsOf(out).map(({ protocol }) => protocol)).size).toBe(12);
  expect(run.stdout.match(/^[a-z ]+ {2,}1 \+ 6 /gm)).toHaveLength(12);
});

test.each([
  ["without a prefix", []],
  ["with a prefix", ["--prefix", "2", ...POLICIES.slice(0, 5).flatMap(({ name }) => ["--policy", name])]],
])(
  "a suite %s that is killed again and again ends with the rows of one that is not, and repeats no row",
  async (name, flags) => {
    const { bin } = await build();
    const [whole, killed] = ["whole", "killed"].map((part) =>
      path.join(folder.path, `${name}, ${part}.jsonl`),
    );
    const suite = [...SUITE, ...flags];
    expect(await new Process(bin, [...suite, "--out", whole!]).code).toBe(0);
    const total = rowsOf(whole!).length;
    let written = new Map<string, string>();
    for (let kills = 0; ; kills += 1) {
      const run = new Process(bin, [...suite, "--out", killed!]);
      const isKilled = kills < 4 && (await reaches(run, killed!, written.size + 5));
      if (isKilled) run.child.kill("SIGKILL");
      const code = await run.code;
      const lines = readFileSync(killed!, "utf8").split("\n").slice(0, -1);
      const now = new Map(lines.map((line) => [keyOf(line), line]));
      expect(now.size).toBe(lines.length);
      for (const [key, line] of written) expect(now.get(key)).toBe(line);
      written = now;
      if (!isKilled) {
        expect({ code, kills }).toEqual({ code: 0, kills: 4 });
        break;
      }
    }
    expect(written.size).toBe(total);
    // A message with both files would be too long to read.
    expect(readFileSync(killed!).equals(readFileSync(whole!))).toBe(true);
  },
);

const keyOf = (line: string): string => {
  const { setting, policy, protocol, sample } = JSON.parse(line);
  return JSON.stringify([setting, policy, protocol, sample]);
};

/** Resolves with true when the file has that many lines, or with false when the process has ended before. */
function reaches(run: Process, file: string, lines: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isReached: boolean): void => {
      watcher.close();
      resolve(isReached);
    };
    const watcher = watch(folder.path, () => {
      if (existsSync(file) && readFileSync(file, "utf8").split("\n").length > lines) end(true);
    });
    void run.code.then(() => end(false));
  });
}
