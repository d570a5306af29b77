import type { AssistantBlock, AssistantEntry, Entry, UserBlock } from "../../machines/conversation/index.ts";
import type { Placed } from "./indexed.ts";
import type { Report } from "./report.ts";

/** Entries of one role in a row as one (L6). */
export function alternating(entries: readonly Placed<Entry>[], report: Report): readonly Placed<Entry>[] {
  const merged: Placed<Entry>[] = [];
  for (const { index, value } of entries) {
    const last = merged.at(-1);
    const both = last && joined(last.value, value);
    if (last === undefined || both === undefined) {
      merged.push({ index, value });
      continue;
    }
    report.add(index, "L6", `It is a second entry of the ${value.role} in a row; both were joined.`);
    merged[merged.length - 1] = { index: last.index, value: both };
  }
  return merged;
}

function joined(first: Entry, second: Entry): Entry | undefined {
  if (first.role === "user" && second.role === "user")
    return { ...first, content: [...first.content, ...second.content] };
  if (first.role === "assistant" && second.role === "assistant")
    return { ...first, content: [...first.content, ...second.content] };
  return undefined;
}

/** An answer whose calls have ids of their own and that does not end with thinking; none where nothing remains. */
export function tidy({ index, value }: Placed<Entry>, report: Report): readonly Placed<Entry>[] {
  if (value.role === "user") return [{ index, value }];
  const calls = firstCalls(value, index, report);
  let length = calls.length;
  while (isThinking(calls[length - 1])) length -= 1;
  if (length < calls.length)
    report.add(index, "L6", "The answer ends with thinking that nothing follows; the thinking was left out.");
  if (length === value.content.length) return [{ index, value }];
  return length === 0 ? [] : [{ index, value: { ...value, content: calls.slice(0, length) } }];
}

function firstCalls({ content }: AssistantEntry, index: number, report: Report): readonly AssistantBlock[] {
  const seen = new Set<string>();
  return content.filter((block) => {
    if (block.type !== "tool_use") return true;
    if (!seen.has(block.id)) return seen.add(block.id);
    report.add(index, "L6", `A second call with the id ${block.id} was left out.`);
    return false;
  });
}

const isThinking = (block: AssistantBlock | UserBlock | undefined): boolean =>
  block?.type === "thinking" || block?.type === "redacted_thinking";
