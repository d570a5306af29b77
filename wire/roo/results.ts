import type { Entry, ToolResultBlock, UserBlock, UserEntry } from "../../machines/conversation/entry.ts";
import { interrupted } from "../../machines/conversation/notices.ts";
import { pairResults } from "../../machines/conversation/pairing.ts";
import { resultAsText } from "./block.ts";
import type { Indexed } from "./json.ts";
import type { Report } from "./report.ts";

/**
 * Give a user entry exactly one result for each tool call of `response`, in their order and before other blocks (L6).
 * Results of `hidden` calls are left out; a result without a call becomes text.
 */
export function pairUserEntry(
  { index, value }: Indexed<UserEntry>,
  response: Entry | undefined,
  hidden: ReadonlySet<string>,
  report: Report,
): UserEntry {
  const callIds = (response?.content ?? []).flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const calls = new Set(callIds);
  const given = new Map<string, ToolResultBlock>();
  const others = value.content.flatMap((block): readonly UserBlock[] => {
    if (block.type !== "tool_result") return [block];
    const id = block.tool_use_id;
    if (calls.has(id) && !given.has(id)) {
      given.set(id, block);
      return [];
    }
    return convertUnmatched(block, given.has(id), hidden.has(id), index, report);
  });
  const missing = pairResults(response?.content ?? [], new Map(), interrupted());
  const results = callIds
    .map((id, at) => given.get(id) ?? missing[at])
    .filter((block) => block !== undefined);
  for (const id of callIds)
    if (!given.has(id))
      report.add(index, "L6", `The tool call ${id} without a result got an interrupted one.`);
  const content = [...results, ...others];
  if (content.length === value.content.length && content.every((block, at) => block === value.content[at]))
    return value;
  if (
    callIds.length === given.size &&
    content.length === value.content.length &&
    isSameSet(content, value.content)
  )
    report.add(index, "L6", "Tool results were moved to the front, in the order of their calls.");
  return { ...value, content };
}

const isSameSet = (a: readonly UserBlock[], b: readonly UserBlock[]): boolean => {
  const known = new Set(b);
  return a.every((block) => known.has(block));
};

function convertUnmatched(
  block: ToolResultBlock,
  isSecond: boolean,
  isHidden: boolean,
  index: number,
  report: Report,
): readonly UserBlock[] {
  const id = block.tool_use_id;
  if (isSecond) {
    report.add(index, "L6", `A second result of tool call ${id} was left out.`);
    return [];
  }
  if (isHidden) {
    report.add(index, "hidden", `The result of tool call ${id} was left out, because the call is hidden.`);
    return [];
  }
  report.add(index, "L6", `The result of ${id} has no tool call in the previous response; it became text.`);
  return resultAsText(block);
}
