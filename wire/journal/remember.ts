import { type Memory, remember, rememberEnd } from "../../machines/task/index.ts";
import type { CommitRecord, JournalRecord } from "./record.ts";

/** What is remembered of a task after one more record of its journal (L11). */
export function rememberRecord(memory: Memory, record: JournalRecord): Memory {
  switch (record.kind) {
    case "header":
      return memory;
    case "effect.end":
      return rememberEnd(memory, record);
    case "commit":
      return withCommit(memory, record);
  }
}

function withCommit(memory: Memory, record: CommitRecord): Memory {
  const { log, conversation, queue, turnEnded, calls, facts } = record;
  let next = memory;
  for (const event of log) next = remember(next, event);
  for (const event of conversation) next = remember(next, event);
  if (queue !== undefined) next = remember(next, { type: "queue.changed", queue });
  if (turnEnded) next = remember(next, { type: "turn.ended" });
  for (const call of calls) next = remember(next, { type: "call.changed", call });
  if (facts !== undefined) next = remember(next, { type: "facts.changed", facts });
  return next;
}
