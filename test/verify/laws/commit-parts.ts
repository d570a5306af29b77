import type { ImageBlock } from "../../../machines/conversation/entry.ts";
import { emptyLog, type Log, type LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { emptyRecordedState } from "../../../machines/task/commit.ts";
import { EFFECT_KINDS, type EffectKind } from "../../../machines/task/effect-kinds.ts";
import type { ReopenedTask } from "../../../machines/task/task.context.ts";
import type { TaskEmitted } from "../../../machines/task/task.events.ts";
import type { RecordedCall } from "../../../machines/tool-call/call.ts";

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
export const logOf = (...messages: readonly ClineMessage[]): Log =>
  messages.reduce((log, message) => log.append(message), emptyLog);

export const image: ImageBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "AAAA" },
};

/** The recorded state of a reopened task, with these calls only. */
export const pastOf = (...calls: readonly RecordedCall[]): ReopenedTask => ({
  ...emptyRecordedState,
  calls,
  openedAt: 1,
});

export const appended = (message: ClineMessage): LogEvent => ({ type: "message.appended", message });
/** A changed record of a call. */
export const recorded = (call: RecordedCall): TaskEmitted => ({ type: "call.changed", call });
/** The start of an edge actor. Its id is the kind, or has it before the colon. */
export const started = (id: string): TaskEmitted => ({ type: "effect.started", effect: kindOf(id), id });
export const gone = (id: string): TaskEmitted => ({ type: "effect.stopped", effect: kindOf(id), id });

function kindOf(id: string): EffectKind {
  const [name] = id.split(":");
  const kind = EFFECT_KINDS.find((one) => one === name);
  if (kind === undefined)
    throw new Error(`${id} names no kind of edge actor. Expected one of: ${EFFECT_KINDS.join()}`);
  return kind;
}
