import { isDeepStrictEqual } from "node:util";
import type { ProposedCall } from "../../control/facts.ts";
import type { MonitoredAction } from "../../control/runtime/action.ts";
import type { Entry } from "../../machines/conversation/entry.ts";

/** Position of the judged call in its response. A hook may have changed its arguments since. -1: it has none there. */
export function positionOf({ call, calls }: MonitoredAction): number {
  const exact = calls.findIndex((each) => isDeepStrictEqual(each, call));
  return exact >= 0 ? exact : calls.findIndex(({ tool }) => tool === call?.tool);
}

/** The other calls of the response. */
export function siblingsOf(action: MonitoredAction): readonly ProposedCall[] {
  const position = positionOf(action);
  return action.call === undefined ? [] : action.calls.filter((_, index) => index !== position);
}

/** The entries before the response, and the response without its calls: they are the action and its siblings. */
export function entriesOf({ point, conversation }: MonitoredAction): readonly Entry[] {
  const entries = conversation.toArray();
  if (point === "response") return entries;
  const position = entries.findLastIndex(({ role }) => role === "assistant");
  return entries.map((entry, index) =>
    index === position && entry.role === "assistant"
      ? { ...entry, content: entry.content.filter(({ type }) => type !== "tool_use") }
      : entry,
  );
}
