import type { CallIn, Outcome, ToolCall } from "../../machines/tool-call/call.ts";
import type { View } from "./law.ts";

/** The id of a subtask's actor begins so. */
export const SUBTASK = "subtask:";

export const isDelegated = (call: ToolCall): call is CallIn<"delegated"> => call.phase === "delegated";

/** Whether a subtask executes the call, in any phase that says so. */
export const isOfSubtask = (call: ToolCall): boolean =>
  isDelegated(call) || ("review" in call && call.review.effect === "delegates");

export const delegatedIn = ({ context }: View): readonly CallIn<"delegated">[] =>
  context.turn.calls.filter(isDelegated);

export const textOf = (content: Outcome["content"]): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
