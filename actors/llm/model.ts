import type { ModelRef } from "../../machines/task/task.events.ts";
import type { ChatModel } from "../../ports/model.ts";

/** The model as a task records it. */
export function modelRefOf({ id, provider = "custom", endpoint, contextWindow }: ChatModel): ModelRef {
  return {
    provider,
    id,
    ...(endpoint !== undefined && { endpoint }),
    ...(contextWindow !== undefined && { contextWindow }),
  };
}
