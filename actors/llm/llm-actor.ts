import { Observable } from "rxjs";
import type { AnyEventObject, CallbackActorLogic } from "xstate";
import { memoize } from "../../machines/conversation/index.ts";
import type { ActorInputs, LlmEvent } from "../../machines/task/index.ts";
import { NO_USAGE } from "../../machines/task/index.ts";
import type { Tool } from "../../tools/index.ts";
import { type Edge, fromEvents, type Untimed } from "../protocol/index.ts";
import { readInFrames } from "./frames.ts";
import type { ChatModel, ModelRequest, ModelTool } from "./model.ts";
import { failureOf, streamCut } from "./model-error.ts";
import { ModelResponse } from "./response.ts";

export interface LlmOptions {
  readonly model: ChatModel;
  /** The tools that a response may call. */
  readonly tools: readonly Tool[];
  /** The tools that a request offers. Called for each request. Default: those of `tools` that require nothing. */
  readonly offered?: () => Promise<readonly Tool[]> | readonly Tool[];
  /** The parts of the system prompt, most stable first. Called for each request. */
  readonly system: () => Promise<readonly string[]> | readonly string[];
  /** The shortest time between two batches of events, in milliseconds. Default 25. */
  readonly frameMs?: number;
  /** Maximum time without a stream event, in milliseconds. Default 120,000. */
  readonly idleTimeoutMs?: number;
  /** Maximum bytes of a tool call's arguments in a preview, and of the preview. Default 8,192. */
  readonly previewBytes?: number;
  /** Maximum length of a response, in characters of text, thinking and arguments. Default 16 million. */
  readonly answerMaxChars?: number;
}

type Input = ActorInputs["llm"];

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
export function llmActor(edge: Edge, options: LlmOptions): CallbackActorLogic<AnyEventObject, Input> {
  return fromEvents<AnyEventObject, LlmEvent, Input>(edge, {
    source: ({ input, signal }) =>
      new Observable((events) => {
        const emit = (batch: readonly Untimed<LlmEvent>[]): void => {
          for (const event of batch) events.next(event);
        };
        void attempt(edge, options, { ...input, signal, emit }).then(() => events.complete());
      }),
    isTerminal: ({ type }) => type === "llm.finished" || type === "llm.failed",
    failed: ({ requestId }, error) => ({
      type: "llm.failed",
      requestId,
      failure: failureOf(error),
      usage: NO_USAGE,
      jitter: edge.random(),
    }),
  });
}

interface Attempt extends Input {
  readonly signal: AbortSignal;
  readonly emit: (batch: readonly Untimed<LlmEvent>[]) => void;
}

/** Resolves after the terminal event, or once the signal aborts. */
async function attempt(
  edge: Edge,
  options: LlmOptions,
  { requestId, history, signal, emit }: Attempt,
): Promise<void> {
  const {
    frameMs = 25,
    idleTimeoutMs = 120_000,
    previewBytes = 8_192,
    answerMaxChars = 16_000_000,
  } = options;
  const response = new ModelResponse({
    requestId,
    history,
    tools: options.tools,
    previewBytes,
    answerMaxChars,
  });
  try {
    const request = await createRequest(options, history.toArray());
    if (signal.aborted) return;
    const stream = options.model.stream(request, signal);
    await readInFrames(stream, response, { clock: edge.clock, signal, frameMs, idleTimeoutMs, emit });
    if (!response.done && !signal.aborted) throw streamCut("the stream ended");
  } catch (error) {
    const failure = failureOf(error);
    emit([{ type: "llm.failed", requestId, failure, usage: response.usage, jitter: edge.random() }]);
  }
}

/** One list per task, so that a model can format it once. */
const offeredTools = memoize((tools: readonly Tool[]): readonly ModelTool[] =>
  tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
);

const withoutRequirement = memoize((tools: readonly Tool[]): readonly Tool[] =>
  tools.filter(({ requires }) => requires === undefined),
);

/** A request with the task's system prompt and tools. */
export async function createRequest(
  options: LlmOptions,
  messages: ModelRequest["messages"],
): Promise<ModelRequest> {
  const system = await options.system();
  return {
    system: system.filter((part) => part.trim() !== "").map((part) => part.toWellFormed()),
    messages,
    tools: offeredTools((await options.offered?.()) ?? withoutRequirement(options.tools)),
  };
}
