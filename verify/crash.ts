import { applyLogEvent, type Log } from "../machines/message/log.ts";
import type { ClineMessage } from "../machines/message/message.ts";
import { applyEffectResult } from "../machines/task/commit.ts";
import type { ReopenedTask } from "../machines/task/task.context.ts";
import type { EffectResult } from "../machines/task/task.events.ts";
import type { SubtaskOutcome } from "../machines/tool-call/call.ts";
import type { View } from "./laws/law.ts";

/** End of the task's process after a macrostep. The task is then opened from its journal. */
export interface Crash {
  readonly type: "process.crashed";
  /** Time at which the task is opened again. */
  readonly at: number;
  /** Whether the last message keeps text that streamed after it was appended. A journal does not record it. */
  readonly keepsGrowth: boolean;
  /** Results that runners recorded after the end of the process. */
  readonly ends: readonly EffectResult[];
  /** Results of subtasks in their own journals, by call id. */
  readonly childEnds: readonly (readonly [callId: string, end: SubtaskOutcome])[];
}

/** The content of the journal with which the task is opened after the crash. */
export function reopenedAfter(
  { recorded, observed }: View,
  { at, keepsGrowth, ends, childEnds }: Crash,
): ReopenedTask {
  const { log, ...others } = ends.reduce(applyEffectResult, recorded);
  const kept = keepsGrowth ? log : withoutGrowth(log, observed.appended?.text);
  return { ...others, log: kept, openedAt: at, childEnds: new Map(childEnds) };
}

/** Whether the last message may hold unrecorded text (L11): a partial message, or the output of a command. */
export function mayHaveGrown(log: Log): boolean {
  const last = log.at(-1);
  return last?.partial === true || (last?.ask === "command_output" && last.closing === undefined);
}

function withoutGrowth(log: Log, text: ClineMessage["text"]): Log {
  const last = log.at(-1);
  if (last === undefined || last.text === text || !mayHaveGrown(log)) return log;
  return applyLogEvent(log, { type: "message.amended", ts: last.ts, patch: { text: text ?? "" } });
}
