import type { AnyEventObject, CallbackActorLogic } from "xstate";
import type { LlmEvent } from "../../machines/task/task.events.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { Edge } from "../protocol/edge.ts";
import { failureOf } from "./model-error.ts";
import { type LlmOptions, requestActor } from "./request-actor.ts";
import { ModelResponse } from "./response.ts";

/**
 * One attempt of a request: any number of `llm.*` progress events, at most one batch a frame, then
 * exactly one `llm.finished` or `llm.failed` (L4). Stopping it aborts the model's signal (L10).
 *
 * @example
 * ```ts
 * import { anthropic } from "signalbox/adapters";
 * import { llmActor } from "signalbox/actors";
 * const llm = llmActor(edge, {
 *   model: anthropic({ model: "claude-sonnet-4-6" }),
 *   tools: [],
 *   system: () => ["You are a careful engineer."],
 * });
 * ```
 */
export function llmActor(
  edge: Edge,
  options: LlmOptions,
): CallbackActorLogic<AnyEventObject, ActorInputs["llm"]> {
  const { tools, previewBytes = 8_192, permits = () => true } = options;
  return requestActor<LlmEvent, ActorInputs["llm"]>(edge, options, {
    messages: ({ history }) => history.toArray(),
    reader: ({ requestId, history, mode }, answerMaxChars) =>
      new ModelResponse({
        requestId,
        history,
        tools,
        permits: (tool) => permits(mode, tool),
        previewBytes,
        answerMaxChars,
      }),
    isTerminal: ({ type }) => type === "llm.finished" || type === "llm.failed",
    failed: ({ requestId }, error, usage) => ({
      type: "llm.failed",
      requestId,
      failure: failureOf(error),
      usage,
      jitter: edge.random(),
    }),
  });
}
