import type { ClineMessage, Log, LogEvent } from "../../machines/message/index.ts";
import type { TaskCommit } from "../../runtime/index.ts";
import { compactCause, RecordedLog } from "../../store/index.ts";
import type { CommitRecord, RecordedCause } from "../../wire/index.ts";

/** Makes of commits, as a task shows them, what its journal says of them: with the growth, which no journal has. */
export class LiveRecords {
  readonly #recorded = new RecordedLog();
  #at: number;

  /** `log`: what the task shows before the first commit. `now`: the time of commits that nothing brought about, at first. */
  constructor(log: Log, now: number) {
    this.#at = now;
    const row = log.at(-1);
    // What it has grown by may be in no journal.
    if (row !== undefined && isGrowing(row))
      this.#recorded.record([{ type: "message.grown", ts: row.ts, text: "" }], log);
  }

  of({ commit, seq, snapshot }: TaskCommit): CommitRecord {
    const { cause, before, after, conversation, decisions, queue, turnEnded, calls, facts } = commit;
    const compact = cause === undefined ? undefined : compactCause(cause);
    this.#at = cause?.at ?? this.#at;
    return {
      seq,
      kind: "commit",
      at: this.#at,
      ...(isRecordedCause(compact) && { cause: compact }),
      before,
      after,
      log: this.#log(commit.log, snapshot.context.log),
      conversation,
      decisions,
      ...(queue !== undefined && { queue }),
      turnEnded,
      calls,
      ...(facts !== undefined && { facts }),
      effects: commit.effects,
      reports: commit.reports,
    };
  }

  /** What the journal leaves out stays; what it has otherwise stands as it has it. */
  #log(events: readonly LogEvent[], log: Log): readonly LogEvent[] {
    return events.length === 0
      ? events
      : events.map((event) => this.#recorded.record([event], log)[0] ?? event);
  }
}

/** Whether a journal leaves the whole commit out: all that it did was to grow a row that stays partial. */
export function isGrowth({ commit, snapshot }: TaskCommit): boolean {
  const { log, conversation, decisions, queue, turnEnded, calls, facts, effects, reports } = commit;
  const others = conversation.length + decisions.length + calls.length + effects.length + reports.length;
  if (others > 0 || queue !== undefined || facts !== undefined || turnEnded) return false;
  return log.every((event) => isUnrecorded(event, snapshot.context.log));
}

/** Only the last row is partial (L3). */
function isUnrecorded(event: LogEvent, log: Log): boolean {
  if (event.type === "message.grown") return true;
  const last = log.at(-1);
  return event.type === "message.amended" && last?.ts === event.ts && last.partial === true;
}

/** Whether it is a row of the kind that may have text which no journal has, while it is the last one. */
export const isGrowing = ({ partial, ask }: ClineMessage): boolean =>
  partial === true || ask === "command_output";

const isRecordedCause = (cause: Readonly<Record<string, unknown>> | undefined): cause is RecordedCause =>
  typeof cause?.type === "string" && typeof cause.at === "number";
