import type { BackgroundSubtask } from "../../machines/task/task.events.ts";
import type { CallIn, Outcome, ToolCall } from "../../machines/tool-call/call.ts";
import type { Step, View } from "./law.ts";

/** The id of a subtask's actor begins so. */
export const SUBTASK = "subtask:";

export const isDelegated = (call: ToolCall): call is CallIn<"delegated"> => call.phase === "delegated";

/** Whether a subtask executes the call, in any phase that says so. */
export const isOfSubtask = (call: ToolCall): boolean =>
  isDelegated(call) || ("review" in call && call.review.effect === "delegates");

export const delegatedIn = ({ context }: View): readonly CallIn<"delegated">[] =>
  context.turn.calls.filter(isDelegated);

/** The subtask in the background that a call started. */
export const inBackground = ({ context }: View, callId: string): BackgroundSubtask | undefined =>
  context.backgroundSubtasks.find((subtask) => subtask.callId === callId);

/** Whether the subtask of the call was started before the macrostep, and has not ended: it goes on. */
export const hadSubtask = ({ before }: Pick<Step, "before">, callId: string): boolean =>
  delegatedIn(before).some((call) => call.callId === callId) || inBackground(before, callId) !== undefined;

export const textOf = (content: Outcome["content"]): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
