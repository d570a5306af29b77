import type { JournalRecord } from "../../../../wire/journal/record.ts";

/** The longest time from an ask to its answer, in ms, and the text of the ask. */
export function longestWait(records: readonly JournalRecord[]): { text: string; ms: number } | undefined {
  const opened = new Map<string, { text: string; at: number }>();
  const waits: { text: string; ms: number }[] = [];
  for (const record of records) {
    if (record.kind !== "commit") continue;
    const text = record.log.flatMap((event) =>
      event.type === "message.appended" ? [event.message.text ?? ""] : [],
    );
    for (const { type, effect, id } of record.effects) {
      if (effect !== "ask") continue;
      const started = opened.get(id);
      if (type === "effect.started") opened.set(id, { text: text.at(-1) ?? "", at: record.at });
      else if (started !== undefined) waits.push({ text: started.text, ms: record.at - started.at });
    }
  }
  return waits.sort((one, other) => other.ms - one.ms)[0];
}
