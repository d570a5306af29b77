import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { anthropic } from "../../../adapters/index.ts";
import { JsonEventEmitter } from "../../../client/index.ts";
import { endErrorOf } from "../../../machines/message/end-error.ts";
import { openTaskInfo } from "../../../server/tasks/task-info.ts";
import { DONE, openRig } from "../../support/host.ts";

const REFUSED = "{ status: 401 }";
const model = (url: string | undefined) =>
  anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: url });

test("a run without a key ends with the error and its code, not with an empty result", async () => {
  await using rig = await openRig({ model: anthropic({ model: "claude-sonnet-4-5", apiKey: "" }) });
  const end = await rig.task.run("Do it");
  expect(end.error).toEqual({ code: "no_api_key", message: expect.stringContaining("ANTHROPIC_API_KEY") });
  expect(end.result).toBeUndefined();
});

test.each([
  ["an endpoint's", `[${REFUSED}]`, {}, "authentication_error"],
  ["the mistake limit's", "[{ text: one }, { text: two }]", { mistakes: 1 }, "mistake_limit"],
  ["the request limit's", "[{ tool: list_files, input: { path: . } }]", { requests: 1 }, "request_limit"],
])("the last event of a stream has %s error", async (_whose, script, limits, code) => {
  await using rig = await openRig({ script, completion: "tool", limits });
  let last: unknown;
  for await (const event of rig.task.stream("Do it")) last = event;
  expect(last).toMatchObject({ type: "result", end: { error: { code, message: expect.any(String) } } });
});

test("a spent budget ends the run with the error of the budget", async () => {
  await using rig = await openRig({
    script: "[{ tool: list_files, input: { path: . } }]",
    budget: { requests: 1 },
  });
  expect((await rig.task.run("Do it")).error).toMatchObject({ code: "budget_spent" });
});

test("a completed and a cancelled run have no error", async () => {
  await using rig = await openRig({
    script: `[{ tool: execute_command, input: { command: make } }, ${DONE}]`,
  });
  const first = rig.task.run("Do it");
  await rig.ask("command");
  rig.task.cancel();
  expect(await first).not.toHaveProperty("error");
  expect(await rig.task.run()).not.toHaveProperty("error");
});

test("a task that is opened again keeps the error of its last run until it continues", async () => {
  await using rig = await openRig({
    script: `rules: [{ when: { user: go on }, turns: [${DONE}] }, { turns: [${REFUSED}] }]`,
  });
  const { error } = await rig.task.run("Do it");
  await rig.task.close();
  const again = await rig.host.open(rig.task.id, { model: model(rig.mock?.url), workspace: rig.dir });
  expect(again.state.state).toBe("resumable");
  expect(endErrorOf(again.log)).toEqual(error);
  expect(await again.run("go on")).toMatchObject({ result: "Done." });
  expect(endErrorOf(again.log)).toBeUndefined();
});

test("the NDJSON event, and the entry of the HTTP interface, of a task that rests on an error have its code", async () => {
  await using rig = await openRig({ script: `[${REFUSED}]` });
  const stdout = new PassThrough();
  new JsonEventEmitter({ mode: "stream-json", stdout }).attachToTask(rig.task);
  const { error } = await rig.task.run("Do it");
  const lines = String(stdout.read()).split("\n");
  expect(lines.find((line) => line.includes("api_req_failed"))).toContain('"code":"authentication_error"');
  expect(openTaskInfo(rig.task, { title: "", createdAt: 0 }, 0)).toMatchObject({ rest: "failed", error });
});
