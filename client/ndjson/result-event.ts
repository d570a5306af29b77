import type { ClineMessage } from "../../machines/message/index.ts";
import type { JsonCost, JsonEvent } from "../../wire/index.ts";

/** What a task came to: told with the ask that says so, if there is one. */
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
    content,
    success,
    done: true,
    ...(taskId !== undefined && { taskId }),
    ...(cost !== undefined && { cost }),
  };
}
