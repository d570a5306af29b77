import type { Entry, OpaqueBlock } from "../machines/conversation/entry.ts";
import type { StopReason, Usage } from "../machines/task/task.events.ts";

/** A request to a model. */
export interface ModelRequest {
  /** Parts of the system prompt, most stable first. */
  readonly system: readonly string[];
  readonly messages: readonly Entry[];
  readonly tools: readonly ModelTool[];
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** Fields of a block besides the fields of its events, such as citations: they go back to the model with it. */
export type ExtraFields = Readonly<Record<string, unknown>>;

/**
 * An event of a model's response stream. A new kind of block ends the previous one. Exactly one `finished` comes last; a
 * stream that ends without it was cut, which is a failure (L4). Failures are thrown as `ModelError`.
 */
export type ModelEvent =
  | { readonly type: "text.delta"; readonly text: string }
  | { readonly type: "thinking.delta"; readonly text: string }
  /** Ends a thinking block. */
  | { readonly type: "thinking.end"; readonly signature: string; readonly extra?: ExtraFields }
  | { readonly type: "thinking.redacted"; readonly data: string }
  | { readonly type: "block.end"; readonly extra?: ExtraFields }
  /** A whole block of any other type. It is kept, and goes back to the model unchanged. */
  | { readonly type: "opaque"; readonly block: OpaqueBlock["block"] }
  | { readonly type: "tool.start"; readonly id: string; readonly name: string; readonly extra?: ExtraFields }
  /** A chunk of the arguments' JSON. */
  | { readonly type: "tool.delta"; readonly json: string }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "finished"; readonly stopReason: StopReason; readonly usage: Usage };

/** A chat model: one async generator. */
export interface ChatModel {
  /** Name of the model in prices, prompts and logs. */
  readonly id: string;
  /** Who serves the model, such as `anthropic`. Default `custom`. */
  readonly provider?: string;
  /** Base URL of its endpoint, without credentials and query: part of a task's record. */
  readonly endpoint?: string | undefined;
  /**
   * Tokens that a request and its response may have together: part of a task's record. Without it, only a full window
   * condenses a conversation.
   */
  readonly contextWindow?: number | undefined;
  /** Stops when `signal` aborts. @throws ModelError */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /**
   * Counts the input tokens of a request, without a response. Without it, or where it fails, a conversation is condensed
   * by an estimate. Stops when `signal` aborts.
   */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number>;
}
