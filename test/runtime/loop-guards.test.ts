import { filter, firstValueFrom } from "rxjs";
import { describe, expect, test } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import { cycle, toolError, writeWholeFile } from "../../machines/conversation/notices.ts";
import { allowEverything } from "../../tools/index.ts";
import { TestClock } from "../actors/protocol/host.ts";
import { DONE, messagesOf, openRig, type Rig, resultsOf } from "../support/host.ts";

const saysOf = ({ task }: Rig, ...says: string[]) =>
  task.log.toArray().flatMap(({ say, text }) => (say !== undefined && says.includes(say) ? [text] : []));
const READ = (name: string) => `{ tool: read_file, input: { path: ${name} } }`;
const FILES = { "a.txt": "one\n", "b.txt": "two\n" };

describe("a model in a loop (L14)", () => {
  test("that alternates between two calls is refused, and a person is asked; with guidance it goes on", async () => {
    await using rig = await openRig({
      script: `[${READ("a.txt")}, ${READ("b.txt")}, ${READ("a.txt")}, ${READ("b.txt")}, ${DONE}]`,
      files: FILES,
      policy: allowEverything(),
      limits: { repetitions: 1 },
    });
    expect(await rig.task.run("Read")).toMatchObject({ state: "idle", ask: "mistakes" });
    expect(saysOf(rig, "error")).toEqual([cycle("read_file", 2)]);
    const end = rig.task.settled();
    (await rig.ask("mistakes")).answer("Stop");
    expect((await end).result).toBe("Done.");
    expect(resultsOf(rig.sent()[4] ?? [])).toEqual([toolError(cycle("read_file", 2))]);
  });

  test("whose diffs of one file fail is advised to write the file whole, and does so", async () => {
    const diff = (search: string) =>
      `{ tool: apply_diff, input: { path: ./a.txt, diff: "<<<<<<< SEARCH\\n${search}\\n=======\\nnew\\n>>>>>>> REPLACE" } }`;
    await using rig = await openRig({
      script: `
- ${diff("first")}
- ${diff("second")}
- { tool: write_to_file, input: { path: a.txt, content: new } }
- ${DONE}
`,
      files: FILES,
      policy: allowEverything(),
      limits: { diffFailures: 2 },
    });
    expect((await rig.task.run("Edit")).result).toBe("Done.");
    const [first, second] = saysOf(rig, "diff_error", "error");
    expect(first).toMatch(/^Block 1 of the diff doesn't match/);
    expect(first).not.toContain("write_to_file");
    expect(second?.endsWith(writeWholeFile("a.txt", 2))).toBe(true);
    expect(messagesOf(rig.task).filter((message) => message === "say:diff_error")).toHaveLength(2);
    expect(resultsOf(rig.sent()[2] ?? [])).toEqual([toolError(second ?? "")]);
    expect((await rig.file("a.txt")).trim()).toBe("new");
  });

  test("whose responses are empty is retried up to the limit of retries; then the ask says what happened", async () => {
    const empty = `{ blocks: [{ thinking: hm, signature: s }] }`;
    await using rig = await openRig({ script: `[${empty}, ${empty}, ${empty}]`, limits: { retries: 2 } });
    expect(await rig.task.run("Do it")).toMatchObject({ state: "idle", ask: "failure" });
    expect(rig.sent()).toHaveLength(3);
    const what = expect.stringContaining("Expected text or a tool call, received neither");
    expect(saysOf(rig, "api_req_retry_delayed")).toEqual([what, what]);
    expect((await rig.ask("failure")).text).toEqual(what);
  });
});

describe("a rate limit (L14)", () => {
  const limits = { rateLimitMs: 60_000 };
  const isPacing = ({ commit }: { readonly commit: { readonly after: string } }): boolean =>
    commit.after === "running.pacing";

  test("lets the next request start when the time has passed, and not before", async () => {
    const clock = new TestClock();
    const start = clock.now();
    await using rig = await openRig({
      script: `[${READ("a.txt")}, ${DONE}]`,
      files: FILES,
      policy: allowEverything(),
      limits,
      host: { clock },
    });
    const waits = rig.until(isPacing);
    const end = rig.task.run("Read");
    await waits;
    expect(rig.task.state).toMatchObject({ state: "running" });
    clock.moveTo(start + 59_999);
    expect(rig.sent()).toHaveLength(1);
    clock.moveTo(start + 60_000);
    expect((await end).result).toBe("Done.");
    expect(rig.sent()).toHaveLength(2);
    expect(saysOf(rig, "api_req_rate_limit_wait")).toHaveLength(1);
  });

  test("is kept when the task is opened again, and a cancel leaves the wait (L10, L11)", async () => {
    const clock = new TestClock();
    const start = clock.now();
    await using rig = await openRig({
      script: `[${READ("a.txt")}, ${DONE}]`,
      files: FILES,
      policy: allowEverything(),
      limits,
      host: { clock },
    });
    const waits = rig.until(isPacing);
    const rest = rig.task.run("Read");
    await waits;
    rig.task.cancel();
    expect(await rest).toMatchObject({ state: "resumable" });
    await rig.task.close();
    clock.moveTo(start + 20_000);
    const model = anthropic({ model: "m", apiKey: "mock", baseURL: rig.mock?.url ?? "" });
    const again = await rig.host.open(rig.task.id, { model, limits });
    const shown = firstValueFrom(again.events$.pipe(filter(isPacing)));
    const end = again.run("Go on");
    await shown;
    expect(again.log.toArray().at(-1)?.text).toMatch(/<retry_timer>40<\/retry_timer>$/);
    clock.moveTo(start + 60_000);
    expect((await end).result).toBe("Done.");
  });
});
