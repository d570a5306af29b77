import type { Entry } from "../../machines/conversation/index.ts";
import type { StopReason, Usage } from "../../machines/task/index.ts";

/** What a model is asked. */
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

/**
 * What a model says, piece by piece. A new kind of piece ends the block before it. Exactly one `finished`
 * comes last; a stream that ends without it was cut, and is a failure (L4). Failures are thrown as
 * {@link ModelError}.
 */
export type ModelEvent =
  | { readonly type: "text.delta"; readonly text: string }
  | { readonly type: "thinking.delta"; readonly text: string }
  /** Ends a thinking block; `redacted` stands for a block of its own. */
  | { readonly type: "thinking.end"; readonly signature: string }
  | { readonly type: "thinking.redacted"; readonly data: string }
  | { readonly type: "block.end" }
  | { readonly type: "tool.start"; readonly id: string; readonly name: string }
  /** A piece of the arguments' JSON. */
  | { readonly type: "tool.delta"; readonly json: string }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "finished"; readonly stopReason: StopReason; readonly usage: Usage };

/** A chat model: one async generator. */
export interface ChatModel {
  /** The name that prices, prompts and logs use. */
  readonly id: string;
  /** Stops when `signal` aborts. @throws ModelError */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
