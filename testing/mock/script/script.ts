/** A number drawn anew for each use: a whole number for chunk sizes, any for delays. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** How a text is cut into deltas and how fast they come. */
export interface Pace {
  /** Characters a delta. */
  readonly chunk?: Range | undefined;
  /** Milliseconds before each delta but the first; fractions are kept by sending several at once. */
  readonly delayMs?: Range | undefined;
}

/** A block of an answer, with repetitions already written out. */
export type Block = Pace &
  (
    | { readonly kind: "text"; readonly text: string; readonly unit?: number | undefined }
    | {
        readonly kind: "thinking";
        readonly text: string;
        readonly unit?: number | undefined;
        /** Made from the text when the script gives none. */
        readonly signature: string;
      }
    | { readonly kind: "redacted"; readonly data: string }
    | {
        readonly kind: "tool";
        readonly tool: string;
        /** Made from the turn and the block when the script gives none. */
        readonly id?: string | undefined;
        /** The arguments as they are streamed; bad JSON where the script says so. */
        readonly json: string;
        readonly input: unknown;
      }
  );

export type MockStop =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded";

/** Tokens, in the names of the API. What a script leaves out is estimated: characters / 4, no cache. */
export interface MockUsage {
  readonly input_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
  readonly cache_read_input_tokens?: number | undefined;
  readonly cache_creation_input_tokens?: number | undefined;
}

/** What the model says in one turn. */
export interface Answer extends Pace {
  readonly blocks: readonly Block[];
  readonly usage: MockUsage;
  readonly stop: MockStop;
  readonly stopSequence: string | null;
}

/** What goes wrong in one attempt. `after` counts deltas. */
export type Fault =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly body: unknown;
      /** Seconds, or an HTTP date. */
      readonly retryAfter: number | string | undefined;
    }
  | { readonly kind: "drop" }
  | (StreamFault & {
      readonly kind: "cut";
      /** Whether the HTTP response ends as if it were whole; else its socket is reset. */
      readonly cleanly: boolean;
    })
  | (StreamFault & { readonly kind: "error"; readonly type: string; readonly message: string })
  | (StreamFault & { readonly kind: "stall"; readonly stallMs: number })
  | (StreamFault & { readonly kind: "garbage"; readonly bytes: Uint8Array });

/** A fault in the middle of a stream. */
export type StreamedFault = Extract<Fault, StreamFault>;

export interface StreamFault {
  readonly after: number;
  /** What is streamed until the fault; else what the turn answers. */
  readonly answer: Answer | undefined;
}

/** One turn: its first attempts fail, the next is answered. */
export interface Turn {
  readonly faults: readonly Fault[];
  /** Absent where a list of turns ends with faults: the last of them then repeats without end. */
  readonly answer: Answer | undefined;
}

/** Turns for requests that hold something. */
export interface Rule {
  /** Matches the newest user text. */
  readonly user: RegExp | undefined;
  /** The name of the tool of the newest result. */
  readonly tool: string | undefined;
  readonly turns: readonly Turn[];
}

/** What a mock server answers, made by {@link parseScript}. */
export interface MockScript extends Pace {
  readonly name: string;
  readonly seed: number;
  /** Looked at in order; the first that matches decides. */
  readonly rules: readonly Rule[];
  /** For requests that no rule matches. */
  readonly turns: readonly Turn[];
}
