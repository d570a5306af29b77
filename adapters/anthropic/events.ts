import { type Fold, ModelError, type ModelEvent } from "../../actors/llm/index.ts";
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
  // The window's end cuts an answer just like the output limit.
  ["model_context_window_exceeded", "max_tokens"],
  ["stop_sequence", "stop_sequence"],
  ["pause_turn", "pause_turn"],
]);

/**
 * Folds the raw events of the Messages API into model events, and takes nothing of them on trust: each is checked
 * by hand, because a schema's parse would cost a third of what the delta itself does.
 */
export class RawAnswer implements Fold<unknown, ModelEvent> {
  readonly #price: Price | undefined;
  #out: ModelEvent[] = [];
  #kind: Kind | undefined;
  #index: unknown;
  /** Text of the open block that was not given yet. Joined at once: a string grown by `+=` keeps its pieces alive. */
  readonly #pending: string[] = [];
  #signature = "";
  /** The arguments of a call that came with its start, for endpoints that send them so. */
  #given: string | undefined;
  #usage: Usage = NO_USAGE;
  #stop: { readonly reason: unknown; readonly details: unknown } | undefined;
  #done = false;

  constructor(price: Price | undefined) {
    this.#price = price;
  }

  get done(): boolean {
    return this.#done;
  }

  /** @throws ModelError `bad_stream`, `refusal` */
  push(event: unknown): void {
    if (this.#done) return;
    if (!isJson(event)) throw badStream("an event object", event);
    switch (event.type) {
      case "content_block_delta":
        this.#delta(event);
        return;
      case "content_block_start":
        this.#start(event);
        return;
      case "content_block_stop":
        this.#end();
        return;
      case "message_start":
        this.#count(isJson(event.message) ? event.message.usage : undefined);
        return;
      case "message_delta":
        if (isJson(event.delta) && typeof event.delta.stop_reason === "string") {
          this.#stop = { reason: event.delta.stop_reason, details: event.delta.stop_details };
        }
        this.#count(event.usage);
        return;
      case "message_stop":
        this.#finish();
        return;
      default:
      // A kind of event that came later than this code: nothing that is needed depends on it.
    }
  }

  take(): readonly ModelEvent[] {
    this.#flush();
    return this.#out.splice(0);
  }

  #delta(event: Json): void {
    const delta = event.delta;
    if (!isJson(delta)) throw badStream("a delta object", delta);
    if (this.#kind === undefined || event.index !== this.#index) {
      throw badStream(`a delta of the open block ${String(this.#index)}`, event.index);
    }
    if (this.#kind === "other") return;
    switch (delta.type) {
      case "text_delta":
        this.#grow("text", delta.text);
        return;
      case "input_json_delta":
        if (delta.partial_json !== "") this.#given = undefined;
        this.#grow("tool", delta.partial_json);
        return;
      case "thinking_delta":
        this.#grow("thinking", delta.thinking);
        return;
      case "signature_delta":
        if (typeof delta.signature !== "string") throw badStream("a signature", delta.signature);
        this.#signature += delta.signature;
        return;
      default:
      // Citations and what else may come: not asked for, not kept.
    }
  }

  #grow(kind: Kind, piece: unknown): void {
    if (typeof piece !== "string") throw badStream(`a string of a ${kind} delta`, piece);
    if (this.#kind !== kind) throw badStream(`deltas of a ${this.#kind} block`, `${kind} delta`);
    this.#pending.push(piece);
  }

  #start(event: Json): void {
    this.#end();
    const block = event.content_block;
    if (!isJson(block)) throw badStream("a content block", block);
    this.#index = event.index;
    this.#kind = KINDS.get(block.type) ?? "other";
    if (block.type === "text" && typeof block.text === "string") this.#pending.push(block.text);
    if (block.type === "thinking") {
      if (typeof block.thinking === "string") this.#pending.push(block.thinking);
      if (typeof block.signature === "string") this.#signature = block.signature;
    }
    if (block.type === "redacted_thinking") {
      if (typeof block.data !== "string") throw badStream("the data of redacted thinking", block.data);
      this.#out.push({ type: "thinking.redacted", data: block.data });
    }
    if (block.type === "tool_use") this.#call(block);
  }

  #call(block: Json): void {
    const { id, name, input } = block;
    if (typeof id !== "string" || typeof name !== "string") throw badStream("a call's id and name", block);
    this.#out.push({ type: "tool.start", id, name });
    if (isJson(input) && Object.keys(input).length > 0) this.#given = JSON.stringify(input);
  }

  #end(): void {
    if (this.#kind === undefined) return;
    if (this.#kind === "tool" && this.#given !== undefined) this.#pending.push(this.#given);
    this.#flush();
    if (this.#kind === "thinking") this.#out.push({ type: "thinking.end", signature: this.#signature });
    else if (this.#kind !== "other") this.#out.push({ type: "block.end" });
    this.#kind = undefined;
    this.#signature = "";
    this.#given = undefined;
  }

  #flush(): void {
    const piece = this.#pending.join("");
    this.#pending.length = 0;
    if (piece === "") return;
    if (this.#kind === "tool") this.#out.push({ type: "tool.delta", json: piece });
    else if (this.#kind === "thinking") this.#out.push({ type: "thinking.delta", text: piece });
    else this.#out.push({ type: "text.delta", text: piece });
  }

  #count(usage: unknown): void {
    if (!isJson(usage)) return;
    const counts = {
      tokensIn: tokens(usage.input_tokens, this.#usage.tokensIn),
      tokensOut: tokens(usage.output_tokens, this.#usage.tokensOut),
      cacheWrites: tokens(usage.cache_creation_input_tokens, this.#usage.cacheWrites),
      cacheReads: tokens(usage.cache_read_input_tokens, this.#usage.cacheReads),
    };
    this.#usage = { ...counts, cost: costOf(counts, this.#price) };
    // What is pending came before the count.
    this.#flush();
    this.#out.push({ type: "usage", usage: this.#usage });
  }

  #finish(): void {
    this.#flush();
    const reason = this.#stop?.reason;
    if (reason === "refusal") throw refusal(this.#stop?.details);
    const stopReason = STOP_REASONS.get(reason);
    if (stopReason === undefined) {
      throw badStream(`a stop reason (${[...STOP_REASONS.keys()].join(", ")}, refusal)`, reason);
    }
    this.#out.push({ type: "finished", stopReason, usage: this.#usage });
    this.#done = true;
  }
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}

/** Counts are cumulative: the newest one that is there stands. */
function tokens(value: unknown, before: number): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : before;
}

function badStream(expected: string, came: unknown): ModelError {
  const shown = JSON.stringify(came) ?? String(came);
  return new ModelError(
    "bad_stream",
    `The endpoint does not keep to the streaming protocol of the Messages API: expected ${expected}, got ${shown.slice(0, 200)}.`,
    { retryable: true },
  );
}

function refusal(details: unknown): ModelError {
  const category = isJson(details) && typeof details.category === "string" ? ` (${details.category})` : "";
  const said = isJson(details) && typeof details.explanation === "string" ? ` ${details.explanation}` : "";
  return new ModelError(
    "refusal",
    `The model declined to answer${category}.${said} The same request would be declined again: change what is asked.`,
    { retryable: false },
  );
}
