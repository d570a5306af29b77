import type { LogEvent } from "../../machines/message/index.ts";

/** The rows that a commit changed, by their `ts`: those that only grew, with what they grew by, and the others. */
export interface RowChanges {
  readonly grown: ReadonlyMap<number, string>;
  readonly changed: ReadonlySet<number>;
}

export function rowChanges(events: readonly LogEvent[]): RowChanges {
  const grown = new Map<number, string>();
  const changed = new Set<number>();
  for (const event of events) {
    if (event.type === "message.grown") grown.set(event.ts, (grown.get(event.ts) ?? "") + event.text);
    else for (const ts of replaced(event)) changed.add(ts);
  }
  for (const ts of changed) grown.delete(ts);
  return { grown, changed };
}

function replaced(event: LogEvent): readonly number[] {
  if (event.type === "message.appended") return [event.message.ts];
  if (event.type === "message.amended") return [event.ts];
  return event.type === "log.replaced" ? event.messages.map(({ ts }) => ts) : [];
}
