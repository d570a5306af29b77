import { ModelError } from "../../actors/llm/model-error.ts";
import type { OpaqueBlock } from "../../machines/conversation/entry.ts";
import { isAmount } from "../../machines/message/request.ts";
import { NO_USAGE } from "../../machines/task/request.ts";
import { STOP_REASONS, type StopReason, type Usage } from "../../machines/task/task.events.ts";
import type { ExtraFields, ModelEvent } from "../../ports/model.ts";
import { costOf, type Price } from "../models/price.ts";
import { tooLong } from "./event-stream.ts";

type Json = Readonly<Record<string, unknown>>;
type Kind = "text" | "thinking" | "redacted" | "tool" | "opaque";
/** Blocks with the fields that an event must have. It may have others. */
type OpenKind = "text" | "thinking" | "tool";

const KINDS = new Map<unknown, Kind>([
  ["text", "text"],
  ["thinking", "thinking"],
  ["redacted_thinking", "redacted"],
  ["tool_use", "tool"],
]);

/** The fields of a block that its events have. */
const FIELDS: Readonly<Record<OpenKind, readonly string[]>> = {
  text: ["type", "text"],
  thinking: ["type", "thinking", "signature"],
  tool: ["type", "id", "name", "input"],
};

const isStopReason = (reason: unknown): reason is StopReason =>
  (STOP_REASONS as readonly unknown[]).includes(reason);

const NONE: readonly ModelEvent[] = [];

/**
 * Decodes the raw events of the Messages API into model events. Each event is validated by hand: on this hot path a
 * schema's parse would cost a third of what the delta itself does.
 */
export class ResponseDecoder {
  readonly #price: Price | undefined;
  readonly #blockMaxChars: number;
  #kind: Kind | undefined;
  #index: unknown;
  /** The open block, with the deltas that no event has. */
  #block: Json = {};
  /** Arguments of an opaque block so far. */
  #json = "";
  /** Characters of the deltas that no event has. */
  #size = 0;
  #signature = "";
  /** Whether the open tool call has arguments. */
  #hasArguments = false;
  /** Arguments in the start of a tool call: some endpoints send them there. */
  #startArguments: string | undefined;
  #usage: Usage = NO_USAGE;
  #stop: { readonly reason: unknown; readonly details: unknown } | undefined;
  #count = 0;
  #done = false;

  /** @param blockMaxChars The longest block that is not interpreted, in characters of its deltas (L14). */
  constructor(price: Price | undefined, blockMaxChars: number) {
    this.#price = price;
    this.#blockMaxChars = blockMaxChars;
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
        return [...this.#endWithoutStop(), ...this.#start(event)];
      case "content_block_stop":
        return this.#stopBlock(event.index);
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
    if (this.#kind === "opaque") return this.#addToBlock(delta);
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
        return this.#addToBlock(delta);
    }
  }

  #addToBlock(delta: Json): readonly ModelEvent[] {
    this.#size += JSON.stringify(delta).length;
    if (this.#size > this.#blockMaxChars) throw tooLong("blocks", this.#blockMaxChars);
    if (delta.type === "input_json_delta" && typeof delta.partial_json === "string")
      this.#json += delta.partial_json;
    else this.#block = withDelta(this.#block, delta);
    return NONE;
  }

  #part(kind: Kind, text: unknown): readonly ModelEvent[] {
    if (typeof text !== "string") throw badStream(`a string of a ${kind} delta`, text);
    if (this.#kind !== kind) throw badStream(`deltas of a ${this.#kind} block`, `${kind} delta`);
    if (text === "") return NONE;
    this.#hasArguments = true;
    if (kind === "tool") return [{ type: "tool.delta", json: text }];
    return [kind === "thinking" ? { type: "thinking.delta", text } : { type: "text.delta", text }];
  }

  #start(event: Json): readonly ModelEvent[] {
    const block = event.content_block;
    if (!isJson(block)) throw badStream("a content block", block);
    // The endpoint rejects the result of a tool call in a response that is sent back.
    if (typeof block.type !== "string" || block.type === "tool_result")
      throw badStream("a type of a response's block", block);
    this.#index = event.index;
    this.#kind = KINDS.get(block.type) ?? "opaque";
    this.#block = block;
    this.#json = "";
    this.#size = 0;
    this.#hasArguments = false;
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

  #startCall(block: Json): readonly ModelEvent[] {
    const { id, name, input } = block;
    if (typeof id !== "string" || typeof name !== "string")
      throw badStream("a tool call's id and name", { id, name });
    if (isJson(input) && Object.keys(input).length > 0) {
      this.#startArguments = JSON.stringify(input);
      this.#hasArguments = true;
    }
    return [{ type: "tool.start", id, name, ...extraOf(block, "tool") }];
  }

  #stopBlock(index: unknown): readonly ModelEvent[] {
    if (this.#kind !== undefined && index !== this.#index)
      throw badStream(`the end of the open block ${String(this.#index)}`, index);
    return this.#end();
  }

  /** Ends a block of an endpoint that sends no end. A tool call without arguments may still get some (L7). */
  #endWithoutStop(): readonly ModelEvent[] {
    if (this.#kind === "tool" && !this.#hasArguments)
      throw badStream(`the arguments or the end of the tool call ${String(this.#block.id)}`, "another event");
    return this.#end();
  }

  #end(): readonly ModelEvent[] {
    const kind = this.#kind;
    if (kind === undefined) return NONE;
    const [signature, json] = [this.#signature, this.#startArguments];
    this.#kind = undefined;
    this.#signature = "";
    this.#startArguments = undefined;
    if (kind === "opaque") return [{ type: "opaque", block: this.#opaqueBlock() }];
    if (kind === "thinking") return [{ type: "thinking.end", signature, ...extraOf(this.#block, kind) }];
    if (kind === "text") return [{ type: "block.end", ...extraOf(this.#block, kind) }];
    return [...(json === undefined ? [] : [{ type: "tool.delta" as const, json }]), { type: "block.end" }];
  }

  #opaqueBlock(): OpaqueBlock["block"] {
    const block = { ...this.#block, type: String(this.#block.type) };
    const input = this.#json === "" ? undefined : parsed(this.#json);
    return input === undefined ? block : { ...block, input };
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
    if (!isStopReason(reason)) throw badStream(`a stop reason (${STOP_REASONS.join(", ")}, refusal)`, reason);
    this.#done = true;
    return [...this.#endWithoutStop(), { type: "finished", stopReason: reason, usage: this.#usage }];
  }
}

/** The other fields of a block. Empty ones say nothing: a text without citations may have `citations: null`. */
function extraOf(block: Json, kind: OpenKind): { readonly extra?: ExtraFields } {
  const fields = Object.entries(block).filter(
    ([name, value]) =>
      !FIELDS[kind].includes(name) && value !== null && value !== undefined && !isEmptyList(value),
  );
  return fields.length === 0 ? {} : { extra: Object.fromEntries(fields) };
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** The block with one more delta: texts are appended, a citation is added to the citations, other values replace. */
function withDelta(block: Json, { type, ...fields }: Json): Json {
  if (type === "citations_delta") {
    if (!isJson(fields.citation)) throw badStream("a citation", fields.citation);
    const { citations } = block;
    return { ...block, citations: [...(Array.isArray(citations) ? citations : []), fields.citation] };
  }
  const added = Object.entries(fields).map(([name, value]) => {
    const before = block[name];
    return [name, typeof before === "string" && typeof value === "string" ? before + value : value];
  });
  return { ...block, ...Object.fromEntries(added) };
}

/** The value of complete JSON; undefined for JSON that was cut. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
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
