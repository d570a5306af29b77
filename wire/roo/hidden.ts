import type { Json } from "./indexed.ts";
import { isJson } from "./indexed.ts";

/**
 * Which entries the frozen product would not send any more: those that a summary or a mark of truncation stands
 * for, as long as it is there.
 */
export function hiddenIn(values: readonly unknown[]): ReadonlySet<unknown> {
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

/** The ids of the calls in these entries. */
export function callsIn(entries: Iterable<unknown>): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const entry of entries) {
    for (const block of isJson(entry) ? blocksIn(entry) : [])
      if (isJson(block) && block.type === "tool_use" && typeof block.id === "string") ids.add(block.id);
  }
  return ids;
}

const blocksIn = ({ content }: Json): readonly unknown[] => (Array.isArray(content) ? content : []);
