import {
  type Entry,
  interrupted,
  pairResults,
  type ToolResultBlock,
  type UserBlock,
  type UserEntry,
} from "../../machines/conversation/index.ts";
import { wordsOf } from "./block.ts";
import type { Placed } from "./indexed.ts";
import type { Report } from "./report.ts";

/**
 * The user's entry with exactly one result for each call of `answer`, in their order and before all else (L6).
 * Results of calls that are `hidden` go with them; one of no call at all becomes words.
 */
export function paired(
  { index, value }: Placed<UserEntry>,
  answer: Entry | undefined,
  hidden: ReadonlySet<string>,
  report: Report,
): UserEntry {
  const asked = (answer?.content ?? []).flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const calls = new Set(asked);
  const given = new Map<string, ToolResultBlock>();
  const others = value.content.flatMap((block): readonly UserBlock[] => {
    if (block.type !== "tool_result") return [block];
    const id = block.tool_use_id;
    if (calls.has(id) && !given.has(id)) {
      given.set(id, block);
      return [];
    }
    return leftOver(block, given.has(id), hidden.has(id), index, report);
  });
  const missing = pairResults(answer?.content ?? [], new Map(), interrupted());
  const results = asked.map((id, at) => given.get(id) ?? missing[at]).filter((block) => block !== undefined);
  for (const id of asked)
    if (!given.has(id))
      report.add(index, "L6", `The call ${id} has no result; it got one that says that it was interrupted.`);
  const content = [...results, ...others];
  if (content.length === value.content.length && content.every((block, at) => block === value.content[at]))
    return value;
  if (
    asked.length === given.size &&
    content.length === value.content.length &&
    isSameSet(content, value.content)
  )
    report.add(index, "L6", "Its results were not first, or not in the order of their calls; they are now.");
  return { ...value, content };
}

const isSameSet = (a: readonly UserBlock[], b: readonly UserBlock[]): boolean => {
  const known = new Set(b);
  return a.every((block) => known.has(block));
};

function leftOver(
  block: ToolResultBlock,
  isSecond: boolean,
  isHidden: boolean,
  index: number,
  report: Report,
): readonly UserBlock[] {
  const id = block.tool_use_id;
  if (isSecond) {
    report.add(index, "L6", `A second result of the call ${id} was left out.`);
    return [];
  }
  if (isHidden) {
    report.add(index, "hidden", `The result of the call ${id} was left out, because the call is hidden.`);
    return [];
  }
  report.add(index, "L6", `The result of ${id} belongs to no call of the answer before; it became text.`);
  return wordsOf(block);
}
