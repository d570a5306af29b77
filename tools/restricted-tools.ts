import { memoize } from "../machines/conversation/memoize.ts";
import type { Restriction } from "../machines/tool-call/restriction.ts";
import { selectActiveIntent } from "./builtin/select-active-intent.ts";
import type { Tool } from "./tool.ts";

/** Maximum tools that an error lists. */
const LISTED_TOOLS = 50;

/**
 * The tools that all restrictions leave. Each is applied to what the one before it leaves, so that a subtask has no tool that
 * its parent lacks (law GRANT). A subtask can complete in any case, select an intent, and read its own results again.
 */
export const restrictTools = (
  tools: readonly Tool[],
  restrictions: readonly Restriction[],
): readonly Tool[] =>
  restrictions.reduce(
    (left, { tools: named }) => (named === undefined ? left : left.filter((tool) => isLeft(tool, named))),
    tools,
  );

const isLeft = (tool: Tool, named: readonly string[]): boolean =>
  tool.ask === "completion_result" ||
  tool.requires === "artifacts" ||
  tool === selectActiveIntent ||
  namesOf(tool).some((name) => named.includes(name));

const namesOf = ({ name, aliases, group }: Tool): readonly string[] => [name, ...aliases, group];

/** The function that restricts a list of tools: it returns one list for the same tools. */
export const toolFilter = (
  restrictions: readonly Restriction[],
): ((tools: readonly Tool[]) => readonly Tool[]) => memoize((tools) => restrictTools(tools, restrictions));

/** The error of a subtask that is given a tool which its parent lacks. Undefined if the parent has all of them. */
export function lackedToolError(
  { tools: named = [] }: Restriction,
  own: readonly Tool[],
): string | undefined {
  const lacked = named.find((name) => !own.some((tool) => namesOf(tool).includes(name)));
  if (lacked === undefined) return undefined;
  const names = own.slice(0, LISTED_TOOLS).map(({ name }) => name);
  const more = own.length > names.length ? " and others" : "";
  return `A subtask can't have the tool '${lacked}', which this task lacks: expected some of ${names.join(", ")}${more}, or their groups. Send the call again with tools that this task has.`;
}
