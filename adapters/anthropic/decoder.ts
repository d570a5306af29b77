import { ModelError, type ModelEvent } from "../../actors/llm/index.ts";
import { isAmount } from "../../machines/message/index.ts";
import { NO_USAGE, type StopReason, type Usage } from "../../machines/task/index.ts";
import { costOf, type Price } from "./prices.ts";

type Json = Readonly<Record<string, unknown>>;
type Kind = "text" | "thinking" | "tool" | "other";

const KINDS = new Map<unknown, Kind>([
  ["text", "text"],
  ["thinking", "thinking"],
  ["tool_use", "tool"],
]);

const STOP_REASONS = new Map<unknown, StopReason>([
  ["end_turn", "end_turn"],
  ["tool_use", "tool_use"],
  ["max_tokens", "max_tokens"],
  // The end of the context window cuts a response as the output limit does.
  ["model_context_window_exceeded", "max_tokens"],
  ["stop_sequence", "stop_sequence"],
  ["pause_turn", "pause_turn"],
]);

const NONE: readonly ModelEvent[] = [];

/**
 * Decodes the raw events of the Messages API into model events. Each event is validated by hand: on this hot path a
 * schema's parse would cost a third of what the delta itself does.
 */
export class ResponseDecoder {
  readonly #price: Price | undefined;
  #kind: Kind | undefined;
  #index: unknown;
  #signature = "";
  /** Arguments in the start of a tool call: some endpoints send them there. */
  #startArguments: string | undefined;
  #usage: Usage = NO_USAGE;
  #stop: { readonly reason: unknown; readonly details: unknown } | undefined;
  #count = 0;
  #done = false;

  constructor(price: Price | undefined) {
    this.#price = price;
  }

  /** Number of raw events so far. */
  get count(): number {
    return this.#count;
  }

  /** Whether the response has ended: what follows decodes to nothing. */
  get done(): boolean {
    return this.#done;
  }

  /** @throws ModelError `bad_stream`, `refusal` */
  decode(event: unknown): readonly ModelEvent[] {
    this.#count += 1;
    if (this.#done) return NONE;
    if (!isJson(event)) throw badStream("an event object", event);
    switch (event.type) {
      case "content_block_delta":
        return this.#delta(event);
      case "content_block_start":
        return [...this.#end(), ...this.#start(event)];
      case "content_block_stop":
        return this.#end();
      case "message_start":
        return this.#countTokens(isJson(event.message) ? event.message.usage : undefined);
      case "message_delta":
        if (isJson(event.delta) && typeof event.delta.stop_reason === "string")
          this.#stop = { reason: event.delta.stop_reason, details: event.delta.stop_details };
        return this.#countTokens(event.usage);
      case "message_stop":
        return this.#finish();
      default:
        // A newer event type: nothing depends on it.
        return NONE;
    }
  }

  #delta(event: Json): readonly ModelEvent[] {
    const delta = event.delta;
    if (!isJson(delta)) throw badStream("a delta object", delta);
    if (this.#kind === undefined || event.index !== this.#index)
      throw badStream(`a delta of the open block ${String(this.#index)}`, event.index);
    if (this.#kind === "other") return NONE;
    switch (delta.type) {
      case "text_delta":
        return this.#part("text", delta.text);
      case "input_json_delta":
        if (delta.partial_json !== "") this.#startArguments = undefined;
        return this.#part("tool", delta.partial_json);
      case "thinking_delta":
        return this.#part("thinking", delta.thinking);
      case "signature_delta":
        if (typeof delta.signature !== "string") throw badStream("a signature", delta.signature);
        this.#signature += delta.signature;
        return NONE;
      default:
        // Citations and other types are not requested.
        return NONE;
    }
  }

  #part(kind: Kind, text: unknown): readonly ModelEvent[] {
    if (typeof text !== "string") throw badStream(`a string of a ${kind} delta`, text);
    if (this.#kind !== kind) throw badStream(`deltas of a ${this.#kind} block`, `${kind} delta`);
    if (text === "") return NONE;
    if (kind === "tool") return [{ type: "tool.delta", json: text }];
    return [kind === "thinking" ? { type: "thinking.delta", text } : { type: "text.delta", text }];
  }

  #start(event: Json): readonly ModelEvent[] {
    const block = event.content_block;
    if (!isJson(block)) throw badStream("a content block", block);
    this.#index = event.index;
    this.#kind = KINDS.get(block.type) ?? "other";
    switch (block.type) {
      case "text":
        return typeof block.text === "string" ? this.#part("text", block.text) : NONE;
      case "thinking":
        if (typeof block.signature === "string") this.#signature = block.signature;
        return typeof block.thinking === "string" ? this.#part("thinking", block.thinking) : NONE;
      case "redacted_thinking":
        if (typeof block.data !== "string") throw badStream("the data of redacted thinking", block.data);
        return [{ type: "thinking.redacted", data: block.data }];
      case "tool_use":
        return this.#startCall(block);
      default:
        return NONE;
    }
  }

  #startCall({ id, name, input }: Json): readonly ModelEvent[] {
    if (typeof id !== "string" || typeof name !== "string")
      throw badStream("a tool call's id and name", { id, name });
    if (isJson(input) && Object.keys(input).length > 0) this.#startArguments = JSON.stringify(input);
    return [{ type: "tool.start", id, name }];
  }

  #end(): readonly ModelEvent[] {
    const kind = this.#kind;
    if (kind === undefined) return NONE;
    const [signature, json] = [this.#signature, this.#startArguments];
    this.#kind = undefined;
    this.#signature = "";
    this.#startArguments = undefined;
    if (kind === "other") return NONE;
    if (kind === "thinking") return [{ type: "thinking.end", signature }];
    return [...(json === undefined ? [] : [{ type: "tool.delta" as const, json }]), { type: "block.end" }];
  }

  #countTokens(usage: unknown): readonly ModelEvent[] {
    if (!isJson(usage)) return NONE;
    const counts = {
      tokensIn: tokens(usage.input_tokens, this.#usage.tokensIn),
      tokensOut: tokens(usage.output_tokens, this.#usage.tokensOut),
      cacheWrites: tokens(usage.cache_creation_input_tokens, this.#usage.cacheWrites),
      cacheReads: tokens(usage.cache_read_input_tokens, this.#usage.cacheReads),
    };
    this.#usage = { ...counts, cost: costOf(counts, this.#price) };
    return [{ type: "usage", usage: this.#usage }];
  }

  #finish(): readonly ModelEvent[] {
    const reason = this.#stop?.reason;
    if (reason === "refusal") throw refusal(this.#stop?.details);
    const stopReason = STOP_REASONS.get(reason);
    if (stopReason === undefined)
      throw badStream(`a stop reason (${[...STOP_REASONS.keys()].join(", ")}, refusal)`, reason);
    this.#done = true;
    return [{ type: "finished", stopReason, usage: this.#usage }];
  }
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}

/** Counts are cumulative. */
function tokens(value: unknown, previous: number): number {
  return isAmount(value) ? value : previous;
}

function badStream(expected: string, received: unknown): ModelError {
  const shown = JSON.stringify(received) ?? String(received);
  return new ModelError(
    "bad_stream",
    `The response is not a Messages API stream: expected ${expected}, got ${shown.slice(0, 200)}. Check the base URL.`,
    { retryable: true },
  );
}

function refusal(details: unknown): ModelError {
  const category = isJson(details) && typeof details.category === "string" ? ` (${details.category})` : "";
  const reason = isJson(details) && typeof details.explanation === "string" ? ` ${details.explanation}` : "";
  return new ModelError(
    "refusal",
    `The model refused to respond${category}.${reason} Rephrase the request: the same one is refused again.`,
    { retryable: false },
  );
}
