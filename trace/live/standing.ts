import type { LogEvent } from "../../machines/message/index.ts";
import type { CommitRecord } from "../../wire/index.ts";

/** Where a task stands: the number of its newest record, when that was made, and the machine's state after it. */
export interface Standing {
  readonly seq: number;
  readonly at: number;
  readonly state: string;
}

/** A record that decides nothing, and tells only how a row stands. */
export function rowAsItStands(event: LogEvent, { seq, at, state }: Standing): CommitRecord {
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
