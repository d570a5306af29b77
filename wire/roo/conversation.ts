import { type Entry, textBlock, userText } from "../../machines/conversation/index.ts";
import { isBlank } from "./block.ts";
import { entryOf } from "./entry.ts";
import { alternating, tidy } from "./entry-order.ts";
import { callsIn, hiddenIn } from "./hidden.ts";
import type { Placed } from "./indexed.ts";
import type { Report } from "./report.ts";
import { paired } from "./results.ts";

const LOST_BEGINNING = "[automatic notice] The beginning of this conversation was lost.";

/**
 * The entries of `api_conversation_history.json` that the frozen product would still send, as the endpoint
 * takes them (L6); `report` is told each change. Calls of a last answer may lack their results: the next request
 * brings them. `prompt` is what the user wanted, for a conversation whose beginning is lost.
 */
export function conversationOf(
  values: readonly unknown[],
  prompt: string | undefined,
  report: Report,
): readonly Entry[] {
  const hidden = hiddenIn(values);
  const read = values.flatMap((value, index) => {
    if (!hidden.has(value)) return entryOf(value, index, report) ?? [];
    report.count(index, "hidden", "hidden", (times) =>
      times === 1
        ? "1 entry is hidden by a summary or a truncation and was left out."
        : `${times} entries are hidden by a summary or a truncation and were left out.`,
    );
    return [];
  });
  const answers = alternating(read, report).flatMap((entry) => tidy(entry, report));
  const entries = begun(alternating(answers, report), prompt, report);
  const hiddenCalls = callsIn(hidden);
  return entries.map(({ index, value }, position) =>
    value.role === "user"
      ? paired({ index, value }, entries[position - 1]?.value, hiddenCalls, report)
      : value,
  );
}

function begun(
  entries: readonly Placed<Entry>[],
  prompt: string | undefined,
  report: Report,
): readonly Placed<Entry>[] {
  const [first] = entries;
  if (first?.value.role !== "assistant") return entries;
  const words = prompt === undefined || isBlank(prompt) ? textBlock(LOST_BEGINNING) : userText(prompt);
  report.add(first.index, "L6", "The user's first entry is missing; one was put before the answer.");
  return [{ index: first.index, value: { role: "user", content: [words] } }, ...entries];
}
