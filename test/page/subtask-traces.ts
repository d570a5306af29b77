import type { ClineMessage } from "../../machines/message/message.ts";
import type { TraceEvent } from "../../visualize/trace/index.ts";
import { Tracer } from "../../visualize/trace/tracer.ts";
import type { CommitRecord } from "../../wire/journal/record.ts";
import { appended, commit } from "./panes/trace.ts";

/** A record at a time in milliseconds. */
export const at = (time: number, parts: Partial<CommitRecord>) => ({ time, parts });

/** The events of a task, each at its time: the first one is its header. */
export function task(
  id: string,
  created: number,
  ...records: readonly ReturnType<typeof at>[]
): readonly TraceEvent[] {
  const tracer = new Tracer(id);
  const prompt: ClineMessage = { ts: created, type: "say", say: "text", text: `Work as ${id}` };
  const all = [at(created, { log: [appended(prompt)], after: "streaming.receiving" }), ...records];
  return [
    tracer.add({ seq: 0, kind: "header", version: 3, taskId: id, createdAt: created }),
    ...all.map(({ time, parts }, nth) =>
      tracer.add(commit(nth + 1, { at: time, cause: { type: "llm.text.delta", at: time }, ...parts })),
    ),
  ];
}

/** The start of a subtask by a call of this id. */
export const started = (callId: string, childId: string): Partial<CommitRecord> => ({
  calls: [{ callId, toolUseId: "t", name: "new_task", ask: "tool", phase: "delegated", input: {}, childId }],
  effects: [{ type: "effect.started", effect: "subtask", id: `subtask:${callId}` }],
  after: "running.delegated",
});
/** The end of the call with this id, and of the subtask that it started. */
export const ended = (callId: string): Partial<CommitRecord> => ({
  calls: [
    {
      callId,
      toolUseId: "t",
      name: "new_task",
      ask: "tool",
      phase: "settled",
      outcome: { kind: "done", content: [] },
    },
  ],
  effects: [{ type: "effect.stopped", effect: "subtask", id: `subtask:${callId}` }],
  after: "running.delegated",
});
/** An ask for the approval of a command. */
export const asks: Partial<CommitRecord> = {
  log: [appended({ ts: 2_500, type: "ask", ask: "command", callId: "x", text: "npm test" })],
  after: "waiting_for_input.approval",
};
