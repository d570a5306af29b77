import type { AssistantBlock, AssistantEntry, Entry, UserBlock } from "../../machines/conversation/entry.ts";
import type { Indexed } from "./json.ts";
import type { Report } from "./report.ts";

/** Merge consecutive entries of one role (L6). */
export function mergeRoles(entries: readonly Indexed<Entry>[], report: Report): readonly Indexed<Entry>[] {
  const merged: Indexed<Entry>[] = [];
  for (const { index, value } of entries) {
    const last = merged.at(-1);
    const both = last && merge(last.value, value);
    if (last === undefined || both === undefined) {
      merged.push({ index, value });
      continue;
    }
    report.add(index, "L6", `Two consecutive ${value.role} entries were joined.`);
    merged[merged.length - 1] = { index: last.index, value: both };
  }
  return merged;
}

function merge(first: Entry, second: Entry): Entry | undefined {
  if (first.role === "user" && second.role === "user")
    return { ...first, content: [...first.content, ...second.content] };
  if (first.role === "assistant" && second.role === "assistant")
    return { ...first, content: [...first.content, ...second.content] };
  return undefined;
}

/** Remove duplicate tool calls and thinking at the end of a response; an empty response is left out. */
export function cleanResponse({ index, value }: Indexed<Entry>, report: Report): readonly Indexed<Entry>[] {
  if (value.role === "user") return [{ index, value }];
  const blocks = withoutDuplicateCalls(value, index, report);
  let length = blocks.length;
  while (isThinking(blocks[length - 1])) length -= 1;
  if (length < blocks.length) report.add(index, "L6", "Thinking at the end of a response was left out.");
  if (length === value.content.length) return [{ index, value }];
  return length === 0 ? [] : [{ index, value: { ...value, content: blocks.slice(0, length) } }];
}

function withoutDuplicateCalls(
  { content }: AssistantEntry,
  index: number,
  report: Report,
): readonly AssistantBlock[] {
  const seen = new Set<string>();
  return content.filter((block) => {
    if (block.type !== "tool_use") return true;
    if (!seen.has(block.id)) return seen.add(block.id);
    report.add(index, "L6", `A second tool call with the id ${block.id} was left out.`);
    return false;
  });
}

const isThinking = (block: AssistantBlock | UserBlock | undefined): boolean =>
  block?.type === "thinking" || block?.type === "redacted_thinking";
