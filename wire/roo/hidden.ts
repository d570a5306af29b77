import { isJson, type Json } from "./json.ts";

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
