import type { Log, LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { nonEmptyParts } from "../../../machines/task/commit.ts";
import type { TaskCommit } from "../../../runtime/task/task-view.ts";
import { compactCause } from "../../../wire/journal/cause.ts";
import type { CommitRecord, RecordedCause } from "../../../wire/journal/record.ts";
import { RecordedLog } from "../../../wire/journal/recorded-log.ts";

/** Create from a task's commits the records that its journal has, and growth, which no journal has. */
export class LiveRecords {
  readonly #recorded = new RecordedLog();
  #at: number;

  /** `log`: the task's log before the first commit. `now`: the time of commits without a cause, at first. */
  constructor(log: Log, now: number) {
    this.#at = now;
    const message = log.at(-1);
    // What it has grown by may be in no journal.
    if (message !== undefined && isGrowing(message))
      this.#recorded.record([{ type: "message.grown", ts: message.ts, text: "" }], log);
  }

  of({ commit, seq, snapshot }: TaskCommit): CommitRecord {
    const { cause, before, after, ...parts } = commit;
    const compact = cause === undefined ? undefined : compactCause(cause);
    this.#at = cause?.at ?? this.#at;
    return {
      seq,
      kind: "commit",
      at: this.#at,
      ...(isRecordedCause(compact) && { cause: compact }),
      before,
      after,
      ...parts,
      log: this.#log(commit.log, snapshot.context.log),
    };
  }

  /** Events that the journal leaves out are kept; those that it has in another form get that form. */
  #log(events: readonly LogEvent[], log: Log): readonly LogEvent[] {
    return events.length === 0
      ? events
      : events.map((event) => this.#recorded.record([event], log)[0] ?? event);
  }
}

/** Whether a journal leaves out the whole commit, because it only grew a message that stays partial. */
export function isGrowth({ commit, snapshot }: TaskCommit): boolean {
  const { log, ...others } = commit;
  if (Object.keys(nonEmptyParts(others)).length > 0) return false;
  return log.every((event) => isUnrecorded(event, snapshot.context.log));
}

/** Only the last message is partial (L3). */
function isUnrecorded(event: LogEvent, log: Log): boolean {
  if (event.type === "message.grown") return true;
  const last = log.at(-1);
  return event.type === "message.amended" && last?.ts === event.ts && last.partial === true;
}

/** Whether a message is of the kind that may have unrecorded text while it is the last one. */
export const isGrowing = ({ partial, ask }: ClineMessage): boolean =>
  partial === true || ask === "command_output";

const isRecordedCause = (cause: Readonly<Record<string, unknown>> | undefined): cause is RecordedCause =>
  typeof cause?.type === "string" && typeof cause.at === "number";
