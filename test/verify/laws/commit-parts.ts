import type { ImageBlock } from "../../../machines/conversation/index.ts";
import { type ClineMessage, emptyLog, type Log, type LogEvent } from "../../../machines/message/index.ts";
import {
  type EffectKind,
  emptyRecordedState,
  type ReopenedTask,
  type TaskEmitted,
} from "../../../machines/task/index.ts";
import type { RecordedCall } from "../../../machines/tool-call/index.ts";

type More = Partial<Omit<ClineMessage, "ts" | "type" | "ask" | "say">>;

export const say = (ts: number, kind: string, more: More = {}): ClineMessage => ({
  ts,
  type: "say",
  say: kind,
  ...more,
});
export const ask = (ts: number, kind: string, more: More = {}): ClineMessage => ({
  ts,
  type: "ask",
  ask: kind,
  ...more,
});
export const logOf = (...rows: readonly ClineMessage[]): Log =>
  rows.reduce((log, row) => log.append(row), emptyLog);

export const image: ImageBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "AAAA" },
};

/** What a task is opened with that remembers these calls, and nothing else. */
export const pastOf = (...calls: readonly RecordedCall[]): ReopenedTask => ({
  ...emptyRecordedState,
  calls,
  openedAt: 1,
});

export const appended = (message: ClineMessage): LogEvent => ({ type: "message.appended", message });
/** What is remembered of a call from now on. */
export const recorded = (call: RecordedCall): TaskEmitted => ({ type: "call.changed", call });
/** An edge actor comes or goes. An id has its kind before the colon, or is the kind. */
export const started = (id: string): TaskEmitted => ({ type: "effect.started", effect: kindOf(id), id });
export const gone = (id: string): TaskEmitted => ({ type: "effect.stopped", effect: kindOf(id), id });

const KINDS: readonly EffectKind[] = [
  "llm",
  "tool",
  "review",
  "ask",
  "timer",
  "context",
  "opening",
  "checkpoint",
  "subtask",
];

function kindOf(id: string): EffectKind {
  const [name] = id.split(":");
  const kind = KINDS.find((one) => one === name);
  if (kind === undefined) throw new Error(`${id} names no kind of edge actor: ${KINDS.join()}`);
  return kind;
}
