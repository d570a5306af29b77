import { Observable } from "rxjs";
import type { AnyEventObject, CallbackActorLogic, NonReducibleUnknown } from "xstate";
import { memoize } from "../../machines/conversation/memoize.ts";
import { frozen } from "../../machines/list/frozen.ts";
import { addUsage, NO_USAGE } from "../../machines/task/request.ts";
import type { TaskEvent, Usage } from "../../machines/task/task.events.ts";
import type { TaskIntent } from "../../machines/tool-call/intent.ts";
import type { ChatModel, ModelEvent, ModelRequest, ModelTool } from "../../ports/model.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Requires } from "../environment.ts";
import type { Edge } from "../protocol/edge.ts";
import { fromEvents } from "../protocol/from-events.ts";
import type { Untimed } from "../protocol/released.ts";
import { type Fold, readInFrames } from "./frames.ts";
import { streamCut } from "./model-error.ts";

/** The members that each request to a model requires. */
export type RequestEnvironment = Requires<"model" | "profiles" | "head" | "llm">;

/** Reads a response into events of the task. */
export interface ResponseReader<TOut extends TaskEvent> extends Fold<ModelEvent, Untimed<TOut>> {
  /** Usage so far. */
  readonly usage: Usage;
}

/** The part of an actor's input that decides where its request goes. Without a profile: to the standard model. */
export interface RequestedModel {
  readonly profile?: string;
}

/** The part of an actor's input that decides what its request has beside the conversation. */
export interface RequestedHead {
  readonly mode: string;
  readonly intent?: TaskIntent;
}

/** A response that a judge decides about. */
export interface JudgedRequest<TOut extends TaskEvent, TReader> {
  /** Requests one more response, and reads it whole. */
  readonly read: () => Promise<readonly Untimed<TOut>[]>;
  /** Creates a reader of a response that no model streamed. */
  readonly reader: () => TReader;
  readonly signal: AbortSignal;
}

/** Decides what follows of a response. */
export type ResponseJudge<TOut extends TaskEvent, TReader> = (
  request: JudgedRequest<TOut, TReader>,
) => Promise<readonly Untimed<TOut>[]>;

/** One kind of request to the model. */
export interface RequestProtocol<
  TOut extends TaskEvent,
  TInput,
  TReader extends ResponseReader<TOut> = ResponseReader<TOut>,
> {
  /** Resolves to the event before the request. After a terminal event, no request is sent. */
  readonly before?: (input: TInput, signal: AbortSignal) => Promise<Untimed<TOut>>;
  readonly messages: (input: TInput) => ModelRequest["messages"];
  /** @param maxChars maximum length of a response, in characters (L14) */
  readonly reader: (input: TInput, maxChars: number) => TReader;
  /** Returns the judge of a response that is read whole; undefined for one that is passed on as it streams. */
  readonly judgeOf?: (input: TInput) => ResponseJudge<TOut, TReader> | undefined;
  readonly isTerminal: (event: Untimed<TOut>) => boolean;
  /** The terminal event of a request that failed. */
  readonly failed: (input: TInput, error: unknown, usage: Usage) => Untimed<TOut>;
}

/**
 * One attempt of a request: the events of its response, at most one batch a frame. The last batch is terminal (L4).
 * Stopping it aborts the model's signal (L10).
 */
export function requestActor<
  TOut extends TaskEvent,
  TInput extends NonReducibleUnknown & RequestedModel & RequestedHead,
  TReader extends ResponseReader<TOut> = ResponseReader<TOut>,
>(
  edge: Edge,
  environment: RequestEnvironment,
  { before, messages, reader, judgeOf, isTerminal, failed }: RequestProtocol<TOut, TInput, TReader>,
): CallbackActorLogic<AnyEventObject, TInput> {
  const { frameMs = 25, idleTimeoutMs = 120_000, answerMaxChars = 16_000_000 } = environment.llm ?? {};
  return fromEvents<AnyEventObject, TOut, TInput>(edge, {
    source: ({ input, signal }) =>
      new Observable((events) => {
        const emit = (batch: readonly Untimed<TOut>[]): void => {
          for (const event of batch) events.next(event);
        };
        let usage = NO_USAGE;
        const isUnneeded = async (): Promise<boolean> => {
          const first = await before?.(input, signal);
          if (first === undefined || signal.aborted) return signal.aborted;
          events.next(first);
          return isTerminal(first);
        };
        const attempt = async (): Promise<void> => {
          const judge = judgeOf?.(input);
          if (await isUnneeded()) return;
          const request = await createRequest(environment, messages(input), input);
          if (signal.aborted) return;
          const read = async (emitted: typeof emit): Promise<void> => {
            const response = reader(input, answerMaxChars);
            const stream = modelOf(environment, input).stream(request, signal);
            const frames = { clock: edge.clock, signal, frameMs, idleTimeoutMs, emit: emitted };
            try {
              await readInFrames(stream, response, frames);
              if (!response.done && !signal.aborted) throw streamCut("the stream ended");
            } finally {
              usage = addUsage(usage, response.usage);
            }
          };
          if (judge === undefined) return await read(emit);
          const readWhole = async (): Promise<readonly Untimed<TOut>[]> => {
            const whole: Untimed<TOut>[] = [];
            await read((batch) => whole.push(...batch));
            signal.throwIfAborted();
            return whole;
          };
          emit(await judge({ read: readWhole, reader: () => reader(input, answerMaxChars), signal }));
        };
        void attempt()
          .catch((error: unknown) => events.next(failed(input, error, usage)))
          .then(() => events.complete());
      }),
    isTerminal,
    failed: (input, error) => failed(input, error, NO_USAGE),
  });
}

/** The model that a request names. @throws Error for a profile without one */
export function modelOf(
  { model, profiles = {} }: Requires<"model" | "profiles">,
  { profile }: RequestedModel,
): ChatModel {
  if (profile === undefined) return model;
  const named = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined;
  if (named !== undefined) return named;
  const known = Object.keys(profiles).join(", ") || "none";
  throw new Error(`Expected a profile with a model (${known}), received ${profile}. Add it to profiles.`);
}

/** One list per task, so that a model can format it once. */
const offeredTools = memoize((tools: readonly Tool[]): readonly ModelTool[] =>
  tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
);

/** A request with these messages, and the system prompt and the tools of a task in a mode, with an intent. */
export async function createRequest(
  environment: Requires<"head">,
  messages: ModelRequest["messages"],
  { mode, intent }: RequestedHead,
): Promise<ModelRequest> {
  const { system, offered } = await environment.head(mode, intent);
  // The next request has the same tools, and the entries of the task.
  return frozen({
    system: system.filter((part) => part.trim() !== "").map((part) => part.toWellFormed()),
    messages,
    tools: offeredTools(offered),
  });
}
