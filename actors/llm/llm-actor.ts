import type { AnyEventObject, CallbackActorLogic } from "xstate";
import type { LlmEvent, ResponseJudged } from "../../machines/task/task.events.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { Requires } from "../environment.ts";
import { isPermitted, modesOf } from "../permitted-tools.ts";
import type { Edge } from "../protocol/edge.ts";
import { type ToolSources, toolsOf } from "../toolset.ts";
import { failureOf } from "./model-error.ts";
import { type RequestEnvironment, requestActor } from "./request-actor.ts";
import { ModelResponse } from "./response.ts";
import { endsRequest, responseJudge } from "./response-judge.ts";

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
 *   head: async () => ({ offered: [], system: ["You are a careful engineer."] }),
 * });
 * ```
 */
export function llmActor(
  edge: Edge,
  environment: RequestEnvironment & Requires<ToolSources | "modes" | "control">,
): CallbackActorLogic<AnyEventObject, ActorInputs["llm"]> {
  const { previewBytes = 8_192 } = environment.llm ?? {};
  const tools = toolsOf(environment);
  const modes = modesOf(environment);
  return requestActor<LlmEvent | ResponseJudged, ActorInputs["llm"], ModelResponse>(edge, environment, {
    messages: ({ history }) => history.toArray(),
    reader: ({ requestId, history, mode }, answerMaxChars) =>
      new ModelResponse({
        requestId,
        history,
        tools,
        permits: (tool) => isPermitted(modes, mode, tool),
        previewBytes,
        answerMaxChars,
      }),
    judgeOf: (input) => responseJudge(edge, environment, input),
    isTerminal: endsRequest,
    failed: ({ requestId }, error, usage) => ({
      type: "llm.failed",
      requestId,
      failure: failureOf(error),
      usage,
      jitter: edge.random(),
    }),
  });
}
