import type { PageLocation } from "./location.ts";
import type { TraceIndex } from "./trace-index.ts";
import type { TraceSnapshot } from "./trace-snapshot.ts";

/** The event that the page shows. */
export interface Place {
  /** The newest event. */
  readonly end: number;
  readonly at: number;
  /** Whether the user chose an event, and it is not the newest. A page that follows its task is never at a past event. */
  readonly isPast: boolean;
  /** Whether no event was chosen: the page follows the newest one. */
  readonly isFollowing: boolean;
}

/** The place in a trace that a location names. */
export function placeIn(trace: TraceSnapshot | undefined, shown: PageLocation): Place {
  const end = (trace?.length ?? 1) - 1;
  const chosen = shown.at ?? (trace && targetOf(trace.index, shown));
  const at = Math.min(chosen ?? end, end);
  return { end, at, isPast: at !== end, isFollowing: chosen === undefined };
}

/** The event of the record, the message or the call that a link names; undefined if it names none, or the trace has none. */
function targetOf(index: TraceIndex, { record, message, call }: PageLocation): number | undefined {
  if (record !== undefined) return index.eventOf(record);
  if (message !== undefined) return index.appendedBy.get(message);
  const callId = call === undefined ? undefined : callIdOf(index, call);
  if (callId === undefined) return undefined;
  return index.outcomes.get(callId)?.seq ?? index.denials.get(callId) ?? index.permissions.get(callId)?.seq;
}

/** The id of a call, by that id or by the model's id, which it ends with: `toolu_1`. The newest, if several have it. */
const callIdOf = ({ toolNames }: TraceIndex, call: string): string | undefined =>
  toolNames.has(call) ? call : [...toolNames.keys()].findLast((id) => id.endsWith(`/${call}`));
