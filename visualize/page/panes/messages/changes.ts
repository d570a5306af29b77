import type { TraceEvent } from "../../../trace/trace-event.ts";

const APPENDED = "appended here";
const REPLACED = "replaced here with the whole log";

/** The changes of this event to the messages, by their `ts`. */
export function messageChanges({ record }: TraceEvent): ReadonlyMap<number, string> {
  const changes = new Map<number, string>();
  if (record.kind !== "commit") return changes;
  const grown = new Map<number, number>();
  const change = (ts: number, detail: string): void => {
    const before = changes.get(ts);
    if (before !== APPENDED && before !== REPLACED) changes.set(ts, detail);
  };
  for (const event of record.log) {
    if (event.type === "message.appended") changes.set(event.message.ts, APPENDED);
    if (event.type === "message.amended")
      change(event.ts, `amended here: ${Object.keys(event.patch).join(", ")}`);
    if (event.type === "log.replaced") for (const { ts } of event.messages) changes.set(ts, REPLACED);
    if (event.type !== "message.grown") continue;
    const chars = (grown.get(event.ts) ?? 0) + event.text.length;
    grown.set(event.ts, chars);
    change(event.ts, `grew by ${chars} here`);
  }
  return changes;
}
