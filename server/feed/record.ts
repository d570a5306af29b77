import { compactCause } from "../../actors/index.ts";
import type { TaskCommit } from "../../client/index.ts";
import type { LogEvent } from "../../machines/message/index.ts";
import type { JournalDraft } from "../../wire/index.ts";

/** A commit that was shown, in the form of its record. `now`: the time of one that nothing brought about. */
export function recordOf({ commit, seq }: TaskCommit, now: number): JournalDraft {
  const { cause, queue, facts } = commit;
  return {
    seq,
    kind: "commit",
    at: cause?.at ?? now,
    ...(cause !== undefined && { cause: compactCause(cause) }),
    before: commit.before,
    after: commit.after,
    log: commit.log,
    conversation: commit.conversation,
    decisions: commit.decisions,
    ...(queue !== undefined && { queue }),
    turnEnded: commit.turnEnded,
    calls: commit.calls,
    ...(facts !== undefined && { facts }),
    effects: commit.effects,
    reports: commit.reports,
  };
}

/** Where a task stands: the number of its newest record, when that was made, and the machine's state after it. */
export interface Standing {
  readonly seq: number;
  readonly at: number;
  readonly state: string;
}

/** One that decides nothing, and tells only how a row stands. */
export function rowAsItStands(event: LogEvent, { seq, at, state }: Standing): JournalDraft {
  return {
    seq,
    kind: "commit",
    at,
    before: state,
    after: state,
    log: [event],
    conversation: [],
    decisions: [],
    turnEnded: false,
    calls: [],
    effects: [],
    reports: [],
  };
}
