import { asModelError, ModelError, streamCut } from "../../actors/llm/model-error.ts";
import { ModelResponse } from "../../actors/llm/response.ts";
import { systemClock } from "../../actors/protocol/edge.ts";
import { unlessAborted } from "../../actors/protocol/unless-aborted.ts";
import { emptyConversation } from "../../machines/conversation/conversation.ts";
import type { AssistantBlock, ToolUseBlock } from "../../machines/conversation/entry.ts";
import { addUsage, NO_USAGE } from "../../machines/task/request.ts";
import type { StopReason, Usage } from "../../machines/task/task.events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ChatModel, ModelRequest } from "../../ports/model.ts";

/** Options of the requests to a monitor or the trusted model. */
export interface ResponseOptions {
  /** Maximum length of a response, in characters. Default 1,000,000. */
  readonly answerMaxChars?: number;
  /** Milliseconds before the only retry, where the endpoint names no time. Default 1,000. */
  readonly retryDelayMs?: number;
  readonly clock?: Clock;
}

/** A response that is read to its end. */
export interface ReadResponse {
  readonly text: string;
  readonly calls: readonly ToolUseBlock[];
  readonly stopReason: StopReason;
  /** Cost of all attempts, in US dollars. Undefined where one is unknown. */
  readonly dollars: number | undefined;
}

/** Read the response to a request. A failure that may pass is retried once. @throws ModelError; the reason of `signal` */
export async function readResponse(
  model: ChatModel,
  request: ModelRequest,
  { answerMaxChars = 1_000_000, retryDelayMs = 1_000, clock = systemClock }: ResponseOptions,
  signal: AbortSignal,
): Promise<ReadResponse> {
  let spent = NO_USAGE;
  const attempt = async (): Promise<ReadResponse> => {
    const response = new ModelResponse({ ...NOTHING_SHOWN, answerMaxChars });
    try {
      for await (const event of model.stream(request, signal)) {
        response.push(event);
        if (response.done) break;
      }
      signal.throwIfAborted();
      if (!response.done) throw streamCut("the stream ended");
    } finally {
      spent = addUsage(spent, response.usage);
    }
    return wholeOf(response, spent);
  };
  try {
    return await attempt();
  } catch (error) {
    signal.throwIfAborted();
    const failure = asModelError(error);
    if (!failure.retryable) throw failure;
    await passed(clock, failure.retryAfterMs ?? retryDelayMs, signal);
    return attempt();
  }
}

/** A response that nobody sees while it streams. */
const NOTHING_SHOWN = {
  requestId: 0,
  history: emptyConversation,
  tools: [],
  permits: () => false,
  previewBytes: 0,
} as const;

function wholeOf(response: ModelResponse, { cost }: Usage): ReadResponse {
  const events = response.take();
  const broken = events.find((event) => event.type === "llm.tool.broken");
  if (broken !== undefined) throw new ModelError("bad_stream", broken.error, { retryable: true });
  const finished = events.find((event) => event.type === "llm.finished");
  if (finished === undefined) throw streamCut("the stream ended");
  const { content, stopReason } = finished;
  return { text: textOf(content), calls: callsIn(content), stopReason, dollars: cost ?? undefined };
}

const textOf = (content: readonly AssistantBlock[]): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

const callsIn = (content: readonly AssistantBlock[]): readonly ToolUseBlock[] =>
  content.filter((block) => block.type === "tool_use");

async function passed(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  let cancel = (): void => {};
  try {
    await unlessAborted(
      signal,
      () =>
        new Promise<void>((resolve) => {
          cancel = clock.after(delayMs, resolve);
        }),
    );
  } finally {
    cancel();
  }
}
