import type { TaskInfo } from "../../../wire/http/api.ts";
import { endOfProcess, isUnderWay, processOf, type TaskProcess } from "../model/process.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import type { PaneProps } from "../pane-props.ts";
import { type Connection, isLost } from "../sources/connection.ts";
import { type PageClock, useNow } from "./clock.ts";

export interface PresentOptions {
  readonly trace: TraceSnapshot | undefined;
  readonly at: number;
  readonly info: TaskInfo | undefined;
  readonly connection: Connection | undefined;
  readonly clock: PageClock;
}

/** Until when that lasts which is open at the current event, and how the task's process ended, if it did. */
export interface Present extends Pick<PaneProps, "until" | "ended"> {
  readonly process: TaskProcess;
  /** The end time of activities that are still open after the newest event, whichever event is shown. */
  readonly now: number;
}

/** The page's clock ticks while something is under way in a task whose process is alive, or since a process ended. */
export function usePresent({ trace, at, info, connection, clock }: PresentOptions): Present {
  const process = trace === undefined ? "unknown" : processOf(info, trace, connection !== undefined);
  const isTicking = process === "ended" || (process === "alive" && trace !== undefined && isUnderWay(trace));
  const now = useNow(clock, isTicking && !isLost(connection));
  if (trace === undefined) return { process, until: now, now };
  const time = trace.index.times[at] ?? 0;
  const newest = trace.index.times.at(-1) ?? 0;
  const present = process === "alive" ? Math.max(now, newest) : newest;
  if (at < trace.length - 1 || process === "unknown") return { process, until: time, now: present };
  if (process === "alive") return { process, until: present, now: present };
  const ended = info !== undefined && { ended: endOfProcess(info, trace, now) };
  return { process, until: time, now: present, ...ended };
}
