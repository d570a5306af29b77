import { textBlock, userText } from "../../machines/conversation/blocks.ts";
import type { Entry } from "../../machines/conversation/entry.ts";
import { isBlank } from "./block.ts";
import { parseEntry } from "./entry.ts";
import { type Indexed, isJson, type Json } from "./json.ts";
import type { Report } from "./report.ts";
import { pairUserEntry } from "./results.ts";
import { cleanResponse, mergeRoles } from "./roles.ts";

const LOST_BEGINNING = "[automatic notice] The beginning of this conversation was lost.";

/**
 * Convert the values of `api_conversation_history.json` that Roo Code still sends to entries that the endpoint accepts
 * (L6); changes are added to `report`. The tool calls of a last response may lack results: the next request adds them.
 * `prompt` starts a conversation whose beginning is lost.
 */
export function parseConversation(
  values: readonly unknown[],
  prompt: string | undefined,
  report: Report,
): readonly Entry[] {
  const hidden = hiddenEntries(values);
  const parsed = values.flatMap((value, index) => {
    if (!hidden.has(value)) return parseEntry(value, index, report) ?? [];
    report.count(index, "hidden", "Entries hidden by a summary or a truncation that were left out");
    return [];
  });
  const cleaned = mergeRoles(parsed, report).flatMap((entry) => cleanResponse(entry, report));
  const entries = withUserFirst(mergeRoles(cleaned, report), prompt, report);
  const hiddenCalls = callIds(hidden);
  return entries.map(({ index, value }, position) =>
    value.role === "user"
      ? pairUserEntry({ index, value }, entries[position - 1]?.value, hiddenCalls, report)
      : value,
  );
}

function withUserFirst(
  entries: readonly Indexed<Entry>[],
  prompt: string | undefined,
  report: Report,
): readonly Indexed<Entry>[] {
  const [first] = entries;
  if (first?.value.role !== "assistant") return entries;
  const block = prompt === undefined || isBlank(prompt) ? textBlock(LOST_BEGINNING) : userText(prompt);
  report.add(first.index, "L6", "A user entry was put before the response that began the conversation.");
  return [{ index: first.index, value: { role: "user", content: [block] } }, ...entries];
}

/** Find the entries that Roo Code no longer sends: those that an existing summary or truncation mark replaces. */
export function hiddenEntries(values: readonly unknown[]): ReadonlySet<unknown> {
  const entries = values.filter(isJson);
  const idsOf = (flag: string, id: string): ReadonlySet<unknown> =>
    new Set(
      entries.flatMap((entry) => (entry[flag] === true && typeof entry[id] === "string" ? [entry[id]] : [])),
    );
  const summaries = idsOf("isSummary", "condenseId");
  const marks = idsOf("isTruncationMarker", "truncationId");
  return new Set<unknown>(
    entries.filter((entry) => summaries.has(entry.condenseParent) || marks.has(entry.truncationParent)),
  );
}

/** Collect the ids of the tool calls in these entries. */
export function callIds(entries: Iterable<unknown>): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const entry of entries) {
    for (const block of isJson(entry) ? blocksIn(entry) : [])
      if (isJson(block) && block.type === "tool_use" && typeof block.id === "string") ids.add(block.id);
  }
  return ids;
}

const blocksIn = ({ content }: Json): readonly unknown[] => (Array.isArray(content) ? content : []);
