import type { TraceEvent } from "../../../../trace/index.ts";

/** What one event changed in one message. */
export interface MessageChange {
  readonly how: "appended" | "grew" | "amended";
  readonly detail: string;
}

/** The messages that this event changed, by their `ts`. */
export function messageChanges({ record }: TraceEvent): ReadonlyMap<number, MessageChange> {
  const changes = new Map<number, MessageChange>();
  const grown = new Map<number, number>();
  if (record.kind !== "commit") return changes;
  for (const event of record.log) {
    switch (event.type) {
      case "message.appended":
        changes.set(event.message.ts, { how: "appended", detail: "appended here" });
        break;
      case "message.grown": {
        const chars = (grown.get(event.ts) ?? 0) + event.text.length;
        grown.set(event.ts, chars);
        if (changes.get(event.ts)?.how !== "appended")
          changes.set(event.ts, { how: "grew", detail: `grew by ${chars} here` });
        break;
      }
      case "message.amended":
        if (changes.get(event.ts)?.how !== "appended")
          changes.set(event.ts, {
            how: "amended",
            detail: `amended here: ${Object.keys(event.patch).join(", ")}`,
          });
        break;
      case "log.replaced":
        for (const { ts } of event.messages)
          changes.set(ts, { how: "appended", detail: "replaced here with the whole log" });
        break;
      case "log.truncated":
        break;
    }
  }
  return changes;
}
