/**
 * The parts of Inspect's log format, `EvalLog` version 2, that an export writes. Times are in ISO 8601, durations in seconds. See
 * https://inspect.aisi.org.uk/eval-logs.html.
 */
export interface EvalLog {
  readonly version: 2;
  readonly status: "started" | "success" | "cancelled" | "error";
  readonly eval: Fields;
  readonly plan: Fields;
  readonly results: Fields;
  readonly stats: Fields;
  readonly error?: EvalError;
  readonly invalidated: false;
  readonly tags: readonly string[];
  readonly metadata: Fields;
  readonly samples: readonly EvalSample[];
}

/** A task and its subtasks: one sample. */
export interface EvalSample {
  readonly id: string;
  /** Index of the sample among those with the same id, from 1. */
  readonly epoch: number;
  readonly input: string;
  readonly target: "";
  readonly messages: readonly ChatMessage[];
  readonly output: ModelOutput;
  readonly events: readonly EvalEvent[];
  /** Long texts of the events, by the key that stands in their place. */
  readonly attachments: Readonly<Record<string, string>>;
  readonly model_usage: Readonly<Record<string, ModelUsage>>;
  readonly metadata: Fields;
  readonly error?: EvalError;
  readonly [field: string]: unknown;
}

export interface EvalEvent {
  readonly event: string;
  readonly timestamp: string;
  /** Seconds since the start of the sample. */
  readonly working_start: number;
  readonly [field: string]: unknown;
}

export interface EvalError {
  readonly message: string;
  readonly traceback: "";
  readonly traceback_ansi: "";
}

export interface ModelUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly input_tokens_cache_write: number;
  readonly input_tokens_cache_read: number;
  /** US dollars; null: unknown. */
  readonly total_cost: number | null;
}

export interface ModelOutput {
  readonly model: string;
  readonly choices: readonly Fields[];
  readonly completion: string;
  readonly usage?: ModelUsage;
  readonly error?: string;
}

export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly image: string; readonly detail: "auto" }
  | {
      readonly type: "reasoning";
      readonly reasoning: string;
      readonly signature?: string;
      readonly redacted: boolean;
    }
  | { readonly type: "data"; readonly data: Fields };

export interface ToolCall {
  readonly id: string;
  readonly function: string;
  readonly arguments: Fields;
  readonly type: "function";
}

export type ChatMessage =
  | { readonly role: "user"; readonly content: readonly Content[] }
  | {
      readonly role: "assistant";
      readonly content: readonly Content[];
      readonly tool_calls?: readonly ToolCall[];
      readonly model?: string;
      readonly source: "generate";
    }
  | {
      readonly role: "tool";
      readonly content: readonly Content[];
      readonly tool_call_id: string;
      readonly function?: string;
      readonly error?: { readonly type: string; readonly message: string };
    };

type Fields = Readonly<Record<string, unknown>>;

export const errorOf = (message: string): EvalError => ({ message, traceback: "", traceback_ansi: "" });
