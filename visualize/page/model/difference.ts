import type { TraceEvent, TraceReader } from "../../../trace/index.ts";
import { nameOf } from "./event-words.ts";

/** The first place at which two traces tell something else. */
export interface Difference {
  readonly at: number;
  /** For people: what differs there. */
  readonly what: string;
}

/** Where two traces part. Times, ids and the journals' headers may differ; undefined where nothing else does. */
export function firstDifference(one: TraceReader, other: TraceReader): Difference | undefined {
  const shared = Math.min(one.length, other.length);
  for (let at = 1; at < shared; at += 1) {
    const what = differing(one.event(at), other.event(at));
    if (what !== undefined) return { at, what };
  }
  if (one.length === other.length) return undefined;
  return { at: shared, what: `${one.length < other.length ? "the first" : "the second"} ends here` };
}

function differing(one: TraceEvent, other: TraceEvent): string | undefined {
  if (nameOf(one) !== nameOf(other)) return `the event: ${nameOf(one)}, and ${nameOf(other)}`;
  if (one.record.kind !== "commit" || other.record.kind !== "commit") return undefined;
  if (one.record.after !== other.record.after)
    return `where it leads: ${one.record.after}, and ${other.record.after}`;
  if (rowsOf(one) !== rowsOf(other)) return "the rows that it made";
  return undefined;
}

/** The rows of an event without their times and ids. */
function rowsOf({ record }: TraceEvent): string {
  if (record.kind !== "commit") return "";
  return JSON.stringify(
    record.log.map((change) => {
      switch (change.type) {
        case "message.appended": {
          const { type, ask, say, text } = change.message;
          return [change.type, type, ask ?? say, say === "api_req_started" ? "" : text];
        }
        case "message.grown":
          return [change.type, change.text];
        case "message.amended":
          return [change.type, Object.keys(change.patch)];
        default:
          return [change.type];
      }
    }),
  );
}
