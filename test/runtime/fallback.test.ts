import { describe, expect, onTestFinished, test } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import type { TaskModels } from "../../runtime/options.ts";
import type { Task } from "../../runtime/task/task.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../testing/mock/server/server.ts";
import { allowEverything } from "../../tools/index.ts";
import { openRig } from "../support/host.ts";

const policy = allowEverything();
const limits = { retries: 1 };
const OVERLOADED = "{ status: 529 }";
const DONE = "{ text: Done. }";

/** A second endpoint, with a model of its own. */
async function backupWith(script: string) {
  const mock = await startMock(parseScript(script));
  onTestFinished(() => mock.close());
  return { mock, model: anthropic({ model: "backup", apiKey: "mock", baseURL: mock.url }) };
}

/** A task whose model is replaced by the backup. */
const openWith = ({ model }: Awaited<ReturnType<typeof backupWith>>, script: string) =>
  openRig({
    script,
    models: { named: { backup: model }, fallbacks: { default: ["backup"] } },
    policy,
    limits,
  });
const counts = (...servers: readonly (MockServer | undefined)[]) =>
  servers.map((server) => server?.requests.length);
const delays = ({ log }: Task) =>
  log.toArray().flatMap(({ say, text }) => (say === "api_req_retry_delayed" ? [text] : []));

describe("a profile whose endpoint fails", () => {
  test("is replaced by the next one of its list after its retries, and nobody is asked", async () => {
    const backup = await backupWith(`[${DONE}]`);
    await using rig = await openWith(backup, `[${OVERLOADED}, ${OVERLOADED}]`);
    const end = await rig.task.run("Go");
    expect(end).toMatchObject({ state: "idle", ask: "completion" });
    expect(counts(rig.mock, backup.mock)).toEqual([2, 1]);
    expect(delays(rig.task).at(-1)).toMatch(
      /^529\n.*\nThe next request goes to the profile backup\.\n<retry_timer>0<\/retry_timer>$/,
    );
    expect(rig.task.log.toArray().map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^The model changed from .* to backup/),
    );
  });

  test("stays replaced until the task is at rest: the next prompt goes to it again", async () => {
    const backup = await backupWith(`[{ tool: list_files, input: { path: . } }, ${DONE}]`);
    await using rig = await openWith(backup, `[${OVERLOADED}, ${OVERLOADED}, ${DONE}]`);
    await rig.task.run("Go");
    expect(counts(rig.mock, backup.mock)).toEqual([2, 2]);
    await rig.task.run("Go on");
    expect(counts(rig.mock, backup.mock)).toEqual([3, 2]);
  });

  test("leads to the ask once every profile of the list has failed; a yes begins with the first again", async () => {
    const backup = await backupWith(`[${OVERLOADED}, ${OVERLOADED}]`);
    await using rig = await openWith(backup, `[${OVERLOADED}, ${OVERLOADED}, ${DONE}]`);
    const run = rig.task.run("Go");
    const ask = await rig.ask("failure");
    await run;
    expect(counts(rig.mock, backup.mock)).toEqual([2, 2]);
    const done = rig.ask("completion");
    ask.approve();
    await done;
    expect(counts(rig.mock, backup.mock)).toEqual([3, 2]);
  });

  test.each(["{ status: 400 }", "{ status: 401 }"])(
    "is not replaced after %s: another model does not hide it",
    async (failure) => {
      const backup = await backupWith(`[${DONE}]`);
      await using rig = await openWith(backup, `[${failure}]`);
      expect(await rig.task.run("Go")).toMatchObject({ ask: "failure" });
      expect(counts(backup.mock)).toEqual([0]);
    },
  );

  test("is replaced only by profiles that exist", async () => {
    const backup = await backupWith(`[${DONE}]`);
    const named = { backup: backup.model };
    const open = (fallbacks: TaskModels["fallbacks"]) =>
      openRig({ script: `[${DONE}]`, models: { named, ...(fallbacks && { fallbacks }) } });
    await expect(open({ default: ["gone"] })).rejects.toThrow(
      "models.fallbacks.default: expected one of default, backup, received gone",
    );
    await expect(open({ gone: ["backup"] })).rejects.toThrow(
      "models.fallbacks.gone: expected one of default, backup, received gone",
    );
  });
});
