import type { ClineMessage } from "../../machines/message/message.ts";
import type { TraceEvent } from "../../visualize/trace/index.ts";
import { Tracer } from "../../visualize/trace/tracer.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import { appended, commit } from "./panes/trace.ts";

const CALL = { callId: "c", toolUseId: "t", name: "new_task", ask: "tool" } as const;
const PROMPT: ClineMessage = { ts: 1, type: "say", say: "text", text: "Do it" };
const SUBTASK: ClineMessage = {
  ts: 2,
  type: "ask",
  ask: "tool",
  callId: "c",
  closing: "answered",
  text: JSON.stringify({ tool: "newTask", mode: "part", content: "Do your part." }),
};
const UNREACHED: ClineMessage = { ts: 2, type: "ask", ask: "api_req_failed", text: "401 invalid x-api-key" };

const traced = (taskId: string, records: readonly JournalRecord[]): readonly TraceEvent[] => {
  const tracer = new Tracer(taskId);
  return records.map((record) => tracer.add(record));
};

/** A task whose subtask failed. */
export const PARENT = traced("p", [
  { seq: 0, kind: "header", version: 3, taskId: "p", createdAt: 1_000 },
  commit(1, { log: [appended(PROMPT)] }),
  commit(2, {
    log: [appended(SUBTASK), appended({ ts: 3, type: "say", say: "tool", callId: "c" })],
    decisions: [{ callId: "c", digest: "d", by: { rule: "allow-subtasks" }, at: 1 }],
    calls: [{ ...CALL, phase: "delegated", input: {}, childId: "p.1" }],
    after: "running.delegated",
  }),
  commit(3, {
    cause: { type: "subtask.ended", at: 1, callId: "c" },
    calls: [
      {
        ...CALL,
        phase: "settled",
        outcome: { kind: "failed", content: [{ type: "text", text: "It failed." }] },
      },
    ],
  }),
]);

/** The subtask: its request failed. */
export const CHILD = traced("p.1", [
  {
    seq: 0,
    kind: "header",
    version: 3,
    taskId: "p.1",
    createdAt: 1_000,
    parent: { taskId: "p", rootId: "p", callId: "c" },
  },
  commit(1, { log: [appended(PROMPT)] }),
  commit(2, {
    cause: { type: "llm.failed", at: 1, failure: { code: "authentication_error" } },
    log: [appended(UNREACHED)],
    before: "streaming.receiving",
    after: "idle.failed",
  }),
  commit(3, { log: [], before: "idle.failed", after: "idle.failed" }),
]);
