import type { TraceEvent, TraceReader } from "../../../trace/index.ts";
import { nameOf } from "./event-text.ts";

/** The first event in which two traces differ. */
export interface Difference {
  readonly at: number;
  /** What differs, as text. */
  readonly what: string;
}

/** Compare two traces, without times, ids and headers. Undefined if nothing else differs. */
export function firstDifference(one: TraceReader, other: TraceReader): Difference | undefined {
  const shared = Math.min(one.length, other.length);
  for (let at = 1; at < shared; at += 1) {
    const what = differing(one.event(at), other.event(at));
    if (what !== undefined) return { at, what };
  }
  if (one.length === other.length) return undefined;
  return { at: shared, what: `${one.length < other.length ? "the first" : "the second"} trace ends here` };
}

function differing(one: TraceEvent, other: TraceEvent): string | undefined {
  if (nameOf(one) !== nameOf(other)) return `event ${nameOf(one)}, not ${nameOf(other)}`;
  if (one.record.kind !== "commit" || other.record.kind !== "commit") return undefined;
  if (one.record.after !== other.record.after) return `state ${one.record.after}, not ${other.record.after}`;
  if (messagesOf(one) !== messagesOf(other)) return "messages";
  return undefined;
}

/** The messages of an event without their times and ids. */
function messagesOf({ record }: TraceEvent): string {
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
