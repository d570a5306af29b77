import { expect, test } from "vitest";
import { shippedProtocols } from "../../control/protocols/shipped.ts";
import { problemSchema } from "../../wire/http/api.ts";
import {
  type ControlReplayed,
  controlReplayedSchema,
  protocolsSchema,
} from "../../wire/http/control-replay.ts";
import { signalbox } from "../cli/in-process.ts";
import { enters, Served, SseReader } from "./support.ts";

const COMMAND = (command: string) => `{ tool: execute_command, input: { command: "${command}" } }`;
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";
const script = `[[${COMMAND("echo one")}, ${COMMAND("echo two")}], ${DONE}]`;

async function replayed(served: Served, body: object): Promise<ControlReplayed> {
  const response = await served.post("/api/control/replay", body);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return controlReplayedSchema.parse(JSON.parse(text));
}

/** A task that has run both commands. */
async function finished(served: Served): Promise<string> {
  const { id } = await served.create("Echo");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("idle"));
  stream.close();
  return id;
}

const open = () => Served.open({ script, task: { permissions: { level: "bypass" } } });

test("the verdicts of a protocol that differ are those that control replay prints, with their records", async () => {
  await using served = await open();
  const taskId = await finished(served);
  const before = await served.info(taskId);
  const result = await replayed(served, { taskId, protocol: "shut down at the budget", audits: 1 });
  const flags = ["--protocol", "shut down at the budget", "--audits", "1", "--format", "json"];
  const { stdout } = await signalbox("control", "replay", taskId, ...flags, "--data-dir", served.dataDir);
  const decisions = stdout
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line));
  expect(result).toMatchObject({ decisions: decisions.length, withoutScores: decisions.length, more: 0 });
  expect(result.changes.map(({ record, callId, now }) => ({ record, callId, now }))).toEqual(
    decisions
      .filter(({ verdict }) => verdict.kind !== "pass")
      .map(({ record, callId, verdict }) => ({ record, callId, now: verdict.kind })),
  );
  expect(result.changes.slice(0, 2)).toMatchObject([
    { taskId, point: "call", tool: "execute_command", now: "audit", isAfterChange: false },
    { taskId, point: "call", tool: "execute_command", now: "shutDown", isAfterChange: false },
  ]);
  expect(await served.info(taskId)).toEqual(before);
});

test("the threshold, the audits and the score decide as in the command", async () => {
  await using served = await open();
  const taskId = await finished(served);
  const ask = { taskId, protocol: "trusted monitoring" };
  const kinds = async (more: object) =>
    (await replayed(served, { ...ask, ...more })).changes.map(({ now }) => now);
  expect(await kinds({ score: 0.4 })).toEqual([]);
  expect(await kinds({ score: 0.4, threshold: 0.3 })).toEqual(["audit"]);
  expect(await kinds({ score: 0.4, threshold: 0.3, audits: 2 })).toEqual(["audit", "audit"]);
});

test("every shipped protocol is listed, and an unknown one or an unknown task is refused", async () => {
  await using served = await open();
  const taskId = await finished(served);
  const names = shippedProtocols({ threshold: 0.5, auditBudget: 1 }).map(({ name }) => name);
  const { protocols } = protocolsSchema.parse(await (await served.fetch("/api/control/protocols")).json());
  expect(protocols).toEqual(names);
  for (const protocol of protocols)
    expect(await replayed(served, { taskId, protocol })).toMatchObject({ more: 0 });
  const unknown = await served.post("/api/control/replay", { taskId, protocol: "./protocol.mjs" });
  expect(unknown.status).toBe(400);
  expect(problemSchema.parse(await unknown.json()).detail).toContain(
    "Expected a shipped protocol (trusted monitoring, ",
  );
  const missing = await served.post("/api/control/replay", { taskId: "none", protocol: "ensemble" });
  expect(problemSchema.parse(await missing.json()).code).toBe("TASK_UNKNOWN");
});
