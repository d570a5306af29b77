import type { ClineMessage } from "../../../machines/message/message.ts";
import type { Usage } from "../../../machines/task/task.events.ts";
import type { JsonCost, JsonEvent } from "../../../wire/ndjson/event.ts";

/** The event with a task's result, and the ask that offers it. A result without a text has no `content`. */
export function resultEvent(
  content: string,
  success: boolean,
  ask: ClineMessage | undefined,
  cost: JsonCost | undefined,
  taskId: string | undefined,
): JsonEvent {
  return {
    type: "result",
    ...(ask !== undefined && { id: ask.ts }),
    ...(ask !== undefined && ask.closing === undefined && { askId: ask.ts }),
    ...(content !== "" && { content }),
    success,
    done: true,
    ...(taskId !== undefined && { taskId }),
    ...(cost !== undefined && { cost }),
  };
}

/** Usage with the field names of the protocol. An unknown cost is absent. */
export const jsonCost = ({ cost, tokensIn, tokensOut, cacheWrites, cacheReads }: Usage): JsonCost => ({
  ...(cost !== null && { totalCost: cost }),
  inputTokens: tokensIn,
  outputTokens: tokensOut,
  cacheWrites,
  cacheReads,
});
