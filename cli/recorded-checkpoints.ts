import type { CommitRecord } from "../wire/journal/record.ts";

/** A checkpoint in a task's journal. */
export interface RecordedCheckpoint {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly hash: string;
}

/** The checkpoints that a record has. */
export function checkpointsIn({ seq, at, log }: CommitRecord): RecordedCheckpoint[] {
  const rows = log.flatMap((event) => {
    if (event.type === "message.appended") return [event.message];
    return event.type === "log.replaced" ? event.messages : [];
  });
  return rows.flatMap(({ say, text }) =>
    say === "checkpoint_saved" && text ? [{ seq, at, hash: text }] : [],
  );
}
