/** A range from which a number is drawn for each use: a whole number for chunk sizes, any for delays. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** How a text is split into deltas, and their delay. */
export interface Pace {
  /** Characters per delta. */
  readonly chunk?: Range | undefined;
  /** Milliseconds before each delta except the first. Fractions are kept: deltas are sent together. */
  readonly delayMs?: Range | undefined;
}

/** A block of a response, with repetitions expanded. */
export type Block = Pace &
  (
    | {
        readonly kind: "text";
        readonly text: string;
        readonly unit?: number | undefined;
        /** Sent after the text, one delta each. */
        readonly citations?: readonly JsonObject[] | undefined;
      }
    | {
        readonly kind: "thinking";
        readonly text: string;
        readonly unit?: number | undefined;
        /** Default: derived from the text. */
        readonly signature: string;
      }
    | { readonly kind: "redacted"; readonly data: string }
    | {
        readonly kind: "tool";
        readonly tool: string;
        /** Default: derived from the turn and the block. */
        readonly id?: string | undefined;
        /** The arguments as streamed; may be invalid JSON. */
        readonly json: string;
        readonly input: unknown;
      }
    | {
        readonly kind: "verbatim";
        /** The block with its deltas applied. */
        readonly content: TypedObject;
        /** The block in `content_block_start`. */
        readonly start: TypedObject;
        /** Sent unchanged, each as one delta. */
        readonly deltas: readonly TypedObject[];
        /** The input, streamed after `deltas`; empty without one. */
        readonly json: string;
      }
  );

export type JsonObject = Readonly<Record<string, unknown>>;
/** A content block or a delta. */
export type TypedObject = JsonObject & { readonly type: string };

export type MockStop =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded";

/** Tokens, with the names of the API. Default: estimated as characters / 4, no cache. */
export interface MockUsage {
  readonly input_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
  readonly cache_read_input_tokens?: number | undefined;
  readonly cache_creation_input_tokens?: number | undefined;
  /** The cache writes by their time to live. */
  readonly cache_creation?:
    | {
        readonly ephemeral_5m_input_tokens?: number | undefined;
        readonly ephemeral_1h_input_tokens?: number | undefined;
      }
    | undefined;
  readonly server_tool_use?:
    | {
        readonly web_search_requests?: number | undefined;
        readonly web_fetch_requests?: number | undefined;
      }
    | undefined;
}

/** The response of one turn. */
export interface ScriptedResponse extends Pace {
  readonly blocks: readonly Block[];
  readonly usage: MockUsage;
  readonly stop: MockStop;
  readonly stopSequence: string | null;
}

/** The fault of one attempt. `after` counts deltas. */
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
      /** Whether the HTTP response ends normally; otherwise its socket is reset. */
      readonly cleanly: boolean;
    })
  | (StreamFault & { readonly kind: "error"; readonly type: string; readonly message: string })
  | (StreamFault & { readonly kind: "stall"; readonly stallMs: number })
  | (StreamFault & { readonly kind: "garbage"; readonly bytes: Uint8Array });

/** A fault within a stream. */
export type StreamedFault = Extract<Fault, StreamFault>;

export interface StreamFault {
  readonly after: number;
  /** The response that is streamed until the fault. Default: the one of the turn. */
  readonly response: ScriptedResponse | undefined;
}

/** One turn: its first attempts fail, the next one gets the response. */
export interface Turn {
  readonly faults: readonly Fault[];
  /** Absent if a list of turns ends with faults: then the last fault repeats. */
  readonly response: ScriptedResponse | undefined;
}

/** Turns for requests that match a condition. */
export interface Rule {
  /** Matches the newest user text. */
  readonly user: RegExp | undefined;
  /** Matches the user texts of the whole conversation. */
  readonly conversation: RegExp | undefined;
  /** The name of the tool of the newest result. */
  readonly tool: string | undefined;
  readonly turns: readonly Turn[];
}

/** The responses of a mock server, parsed by {@link parseScript}. */
export interface MockScript extends Pace {
  readonly name: string;
  readonly seed: number;
  /** Checked in order; the first match wins. */
  readonly rules: readonly Rule[];
  /** For requests that no rule matches. */
  readonly turns: readonly Turn[];
}
