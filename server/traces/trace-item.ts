import type { JournalRecord } from "../../wire/journal/record.ts";

/** An item of a follower, with its event as JSON. */
export type TraceItem =
  | { readonly type: "event"; readonly id: string; readonly json: string; readonly record: JournalRecord }
  | { readonly type: "live" | "pause" | "behind" };
