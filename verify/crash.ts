import { applyLogEvent, type ClineMessage, type Log } from "../machines/message/index.ts";
import { applyEffectResult, type EffectResult, type ReopenedTask } from "../machines/task/index.ts";
import type { SubtaskOutcome } from "../machines/tool-call/index.ts";
import type { View } from "./laws/index.ts";

/** The task's process ends after a macrostep, and the task is opened again from what is remembered. */
export interface Crash {
  readonly type: "process.crashed";
  /** When the task is opened again. */
  readonly at: number;
  /** Whether what streamed into the last row since it was appended is remembered: a journal leaves it out. */
  readonly keepsGrowth: boolean;
  /** Ends of effects that their runners still recorded. */
  readonly ends: readonly EffectResult[];
  /** What the journals of subtasks tell of their ends, by the call. */
  readonly childEnds: readonly (readonly [callId: string, end: SubtaskOutcome])[];
}

/** What the task is opened with after the crash. */
export function pastOf({ memory, life }: View, { at, keepsGrowth, ends, childEnds }: Crash): ReopenedTask {
  const { log, ...rest } = ends.reduce(applyEffectResult, memory);
  const recorded = keepsGrowth ? log : withoutGrowth(log, life.appended?.text);
  return { ...rest, log: recorded, openedAt: at, childEnds: new Map(childEnds) };
}

/** Whether the last row may hold text that no record has (L11): while it is partial, and a command's output. */
export function mayHaveGrown(log: Log): boolean {
  const last = log.at(-1);
  return last?.partial === true || (last?.ask === "command_output" && last.closing === undefined);
}

function withoutGrowth(log: Log, text: ClineMessage["text"]): Log {
  const last = log.at(-1);
  if (last === undefined || last.text === text || !mayHaveGrown(log)) return log;
  return applyLogEvent(log, { type: "message.amended", ts: last.ts, patch: { text: text ?? "" } });
}
