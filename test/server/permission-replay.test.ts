import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { allowReadsInside, byRules, DEFAULT_ALLOW } from "../../tools/index.ts";
import { problemSchema } from "../../wire/http/api.ts";
import { type Replayed, replayedSchema } from "../../wire/http/permission-replay.ts";
import { enters, Served, SseReader } from "./support.ts";

const COMMAND = (command: string) => `{ tool: execute_command, input: { command: "${command}" } }`;
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";
const script = `[[${COMMAND("echo one")}, ${COMMAND("echo two")}], ${DONE}]`;

async function replayed(served: Served, body: object): Promise<Replayed> {
  const response = await served.post("/api/permissions/replay", body);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return replayedSchema.parse(JSON.parse(text));
}

/** A task that waits for the approval of its first command. */
async function waiting(served: Served, more: object = {}) {
  const { id } = await served.create("Echo", { ...more });
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("waiting_for_input"));
  const [ask] = (await served.info(id)).asks;
  /** Answers the open ask, and reads up to the next state of this name. */
  const answer = async (body: object, next: string) => {
    const [open] = (await served.info(id)).asks;
    await served.post(`/api/tasks/${id}/asks/${open?.askId}/answer`, body);
    await stream.until(enters(next));
  };
  return { id, stream, answer, ask: ask ?? expect.fail("no ask") };
}

test("an open task is judged with a rule to try: the summary, the changed calls, and no change of the task", async () => {
  await using served = await Served.open({ script });
  const { id, stream } = await waiting(served);
  const before = await served.info(id);
  const { tasks, summary, changes, more } = await replayed(served, {
    taskId: id,
    allow: ["command(echo *)"],
  });
  expect({ tasks, more }).toEqual({ tasks: 1, more: 0 });
  expect(summary).toMatchObject({ calls: 1, asks: 1, permissions: { askToAllow: 1 } });
  const recorded = { verdict: "ask", because: "no rule allows 'echo one'" };
  const now = { verdict: "allow", because: "command(echo *) in this session" };
  const change = { taskId: id, tool: "execute_command", target: "echo one", recorded, now };
  expect(changes).toEqual([expect.objectContaining({ ...change, cause: "permissions" })]);
  expect(await served.info(id)).toEqual(before);
  stream.close();
});

test("the grounds of a call are the opinion of each judge, and the rules with their origins", async () => {
  const sources = [
    { origin: "own.yaml", allow: [...DEFAULT_ALLOW, "command(echo *)"] },
    { origin: "team.yaml", ask: ["command(echo one)"] },
  ];
  await using served = await Served.open({ script, task: { permissions: { judge: byRules({ sources }) } } });
  const { id, ask, stream } = await waiting(served);
  const { grounds, summary } = await replayed(served, { taskId: id, callId: ask.callId });
  expect(summary.calls).toBe(1);
  expect(grounds?.recorded).toEqual({ verdict: "ask", because: ask.reason });
  expect(grounds?.now).toEqual(grounds?.recorded);
  expect(grounds?.judges).toContainEqual({
    judge: "rules",
    level: "objection",
    because: "command(echo one) in team.yaml matches 'echo one'",
  });
  expect(grounds?.judges).toContainEqual({ judge: "confinement", level: null, because: null });
  expect(grounds?.matches.map(({ level, rule, origin }) => `${level} ${rule} ${origin}`)).toEqual([
    "ask command(echo one) team.yaml",
    "allow command(echo *) own.yaml",
  ]);
  stream.close();
});

test("all tasks of a workspace are judged, closed ones too, and no task of another workspace", async () => {
  await using served = await Served.open({ script: `[${COMMAND("echo one")}, ${DONE}]` });
  mkdirSync(path.join(served.workspace, "other"));
  const closed = await waiting(served);
  await closed.answer({ kind: "yes" }, "idle");
  closed.stream.close();
  await served.post(`/api/tasks/${closed.id}/close`);
  const open = await waiting(served);
  const other = await waiting(served, { workspace: "other" });
  const damaged = path.join(served.dataDir, "tasks/bad");
  mkdirSync(damaged);
  const journal = readFileSync(path.join(served.dataDir, "tasks", closed.id, "journal.jsonl"), "utf8");
  writeFileSync(path.join(damaged, "journal.jsonl"), journal.split("\n").with(3, "damaged").join("\n"));
  const body = { deny: ["command(echo one)"] };
  const here = await replayed(served, body);
  expect(here.changes.map(({ taskId }) => taskId).toSorted()).toEqual([closed.id, open.id].toSorted());
  expect(here.summary.permissions.askToDeny).toBe(2);
  expect(here.skipped).toEqual([{ taskId: "bad", reason: expect.stringContaining("line 4") }]);
  const there = await replayed(served, { ...body, workspace: "other" });
  expect(there.changes.map(({ taskId }) => taskId)).toEqual([other.id]);
  open.stream.close();
  other.stream.close();
});

test("an invalid rule, an unknown task and a judge without reasons are rejected with a code", async () => {
  const problemOf = async (served: Served, body: object) => {
    const response = await served.post("/api/permissions/replay", body);
    const { code, detail } = problemSchema.parse(await response.json());
    return { status: response.status, code, detail };
  };
  await using served = await Served.open({ script });
  expect(await problemOf(served, { allow: ["command(*)", "run(x)"] })).toEqual({
    status: 400,
    code: "BODY_INVALID",
    detail: expect.stringMatching(
      /^The rule 'run\(x\)' of allow in the body is not valid: expected one of read\(GLOB\)/,
    ),
  });
  expect(await problemOf(served, { mode: "wild" })).toMatchObject({ status: 400, code: "BODY_INVALID" });
  expect(await problemOf(served, { taskId: "none" })).toMatchObject({ status: 404, code: "TASK_UNKNOWN" });
  const task = { permissions: { judge: allowReadsInside() } };
  await using opaque = await Served.open({ script, task });
  expect(await problemOf(opaque, {})).toMatchObject({ status: 409, code: "POLICY_OPAQUE" });
});
