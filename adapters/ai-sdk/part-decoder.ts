import { isDeepStrictEqual } from "node:util";
import { ModelError, streamCut } from "../../actors/llm/model-error.ts";
import type { StopReason } from "../../machines/task/task.events.ts";
import type { ModelEvent } from "../../ports/model.ts";
import type { Price } from "../models/price.ts";
import type { ProviderOptions } from "./language-model.ts";
import { isJson, type Json, joined, metadataOf, signatureOf } from "./metadata.ts";
import { argumentsInChunk, visibleLength } from "./raw-chunk.ts";
import { usageOf } from "./usage.ts";

/** Text or reasoning that is open. */
interface Prose {
  readonly kind: "text" | "reasoning";
  readonly id: string;
  metadata: ProviderOptions | undefined;
}

/** A tool call whose arguments stream. The first one is passed on, the others wait for it. */
interface Call {
  readonly start: Extract<ModelEvent, { type: "tool.start" }>;
  /** All arguments that streamed. */
  json: string;
  /** Arguments that wait. */
  readonly waiting: string[];
  metadata: ProviderOptions | undefined;
  /** Whether its arguments have ended. */
  hasEnded: boolean;
  /** Whether the whole call came, which repeats the arguments. */
  isWhole: boolean;
}

const PROSE = new Map<unknown, Prose["kind"]>([
  ["text-start", "text"],
  ["text-delta", "text"],
  ["text-end", "text"],
  ["reasoning-start", "reasoning"],
  ["reasoning-delta", "reasoning"],
  ["reasoning-end", "reasoning"],
]);
/** Blocks that are kept as they came. */
const OPAQUE: ReadonlySet<unknown> = new Set([
  "file",
  "source",
  "custom",
  "reasoning-file",
  "tool-result",
  "tool-approval-request",
]);
const STOPS = new Map<unknown, StopReason>([
  ["stop", "end_turn"],
  ["tool-calls", "tool_use"],
  ["length", "max_tokens"],
]);

/**
 * Decodes the stream parts of a language model into model events. The blocks of a stream may overlap: text ends where a
 * call starts, calls follow each other, and text that comes within a call follows it. The deltas have the arguments:
 * the complete call, in which providers repeat them, also comes for a call that was cut (L7). A piece that belongs to no
 * call, and a complete call with other arguments than those that streamed, fail the response.
 */
export class PartDecoder {
  readonly #price: Price | undefined;
  readonly #waitingMaxChars: number;
  #prose: Prose | undefined;
  /** The calls that are not whole, in the order of their starts. The first one is passed on. */
  readonly #calls: Call[] = [];
  /** Name and arguments of the last whole call of each id. */
  readonly #whole = new Map<string, string>();
  /** The ids of calls that the provider runs. */
  readonly #provided = new Set<string>();
  #hasCalls = false;
  /** Characters of arguments in raw chunks and in calls, without white space. */
  #sentChars = 0;
  #receivedChars = 0;
  /** Parts that came within a call. */
  readonly #later: Json[] = [];
  #waitingChars = 0;
  #count = 0;
  #done = false;

  /** @param waitingMaxChars The most characters that wait for the end of a call (L14). */
  constructor(price: Price | undefined, waitingMaxChars: number) {
    this.#price = price;
    this.#waitingMaxChars = waitingMaxChars;
  }

  /** Number of parts so far. */
  get count(): number {
    return this.#count;
  }

  /** Whether the response has ended. */
  get done(): boolean {
    return this.#done;
  }

  /** @throws ModelError `bad_stream`, `refusal`, `stream_cut`, `api_error` */
  *decode(part: unknown): Generator<ModelEvent> {
    this.#count += 1;
    if (this.#done) return;
    if (!isJson(part)) throw badStream("a part of a stream", part);
    yield* this.#decode(part);
  }

  *#decode(part: Json): Generator<ModelEvent> {
    const { type } = part;
    if (type === "finish") yield* this.#finish(part);
    else if (type === "tool-input-start") yield* this.#startCall(part);
    else if (type === "tool-input-delta") yield* this.#addPiece(part);
    else if (type === "tool-input-end") this.#endArguments(part);
    else if (type === "tool-call" && part.providerExecuted !== true) yield* this.#completeCall(part);
    else if (type === "raw") this.#sentChars += argumentsInChunk(part.rawValue);
    else if (PROSE.has(type) || OPAQUE.has(type) || type === "tool-call") yield* this.#inOrder(part);
    // Others, such as `ping`, say nothing that is kept.
  }

  /** Anything but a call: after the open ones. */
  *#inOrder(part: Json): Generator<ModelEvent> {
    if (this.#calls.length > 0) {
      this.#wait(JSON.stringify(part).length);
      this.#later.push(part);
      return;
    }
    const kind = PROSE.get(part.type);
    if (kind !== undefined) yield* this.#addProse(kind, part);
    else {
      yield* this.#endProse();
      yield { type: "opaque", block: { ...part, type: String(part.type), ...encoded(part.data) } };
    }
  }

  *#addProse(kind: Prose["kind"], part: Json): Generator<ModelEvent> {
    const id = textIn(part, "id");
    const isEnd = part.type === `${kind}-end`;
    let prose = this.#prose;
    if (prose?.kind !== kind || prose.id !== id) {
      // The end of one that a later block has ended.
      if (isEnd) return;
      yield* this.#endProse();
      prose = { kind, id, metadata: undefined };
      this.#prose = prose;
    }
    prose.metadata = joined(prose.metadata, metadataOf(part.providerMetadata));
    if (part.type === `${kind}-delta`) {
      const text = textIn(part, "delta");
      if (text !== "") yield { type: kind === "text" ? "text.delta" : "thinking.delta", text };
    }
    if (isEnd) yield* this.#endProse();
  }

  *#endProse(): Generator<ModelEvent> {
    const prose = this.#prose;
    if (prose === undefined) return;
    this.#prose = undefined;
    if (prose.kind === "reasoning") yield { type: "thinking.end", signature: signatureOf(prose.metadata) };
    else yield { type: "block.end", ...extraOf(prose.metadata) };
  }

  *#startCall(part: Json): Generator<ModelEvent> {
    const start = { type: "tool.start", id: textIn(part, "id"), name: textIn(part, "toolName") } as const;
    // A call that the provider runs follows as a whole.
    if (part.providerExecuted === true) {
      this.#provided.add(start.id);
      return;
    }
    if (this.#open(start.id) !== undefined)
      throw badStream("the end of the tool call before its id", start.id);
    yield* this.#addCall(start, metadataOf(part.providerMetadata));
  }

  *#addCall(start: Call["start"], metadata?: ProviderOptions): Generator<ModelEvent> {
    if (this.#calls.length === 0) {
      yield* this.#endProse();
      yield start;
    }
    this.#hasCalls = true;
    this.#calls.push({ start, json: "", waiting: [], metadata, hasEnded: false, isWhole: false });
  }

  /** The call of an id whose arguments stream. */
  #open(id: string): Call | undefined {
    return this.#calls.find((call) => call.start.id === id && !call.hasEnded);
  }

  *#addPiece(part: Json): Generator<ModelEvent> {
    const [id, json] = [textIn(part, "id"), textIn(part, "delta")];
    const call = this.#open(id);
    if (call !== undefined) yield* this.#addArguments(call, json);
    else if (!this.#provided.has(id) && json.trim() !== "")
      throw badStream("arguments of an open tool call", { id, delta: json });
  }

  *#addArguments(call: Call, json: string): Generator<ModelEvent> {
    if (json === "") return;
    call.json += json;
    this.#receivedChars += visibleLength(json);
    if (this.#calls[0] === call) yield { type: "tool.delta", json };
    else {
      this.#wait(json.length);
      call.waiting.push(json);
    }
  }

  #endArguments(part: Json): void {
    const id = textIn(part, "id");
    const call = this.#open(id);
    if (call !== undefined) {
      call.hasEnded = true;
      call.metadata = joined(call.metadata, metadataOf(part.providerMetadata));
    } else if (!this.#provided.has(id)) throw badStream("the end of an open tool call", id);
  }

  /** A whole call: the end of one whose arguments streamed, or all of one. */
  *#completeCall({ toolCallId: id, toolName: name, input, providerMetadata }: Json): Generator<ModelEvent> {
    if (typeof id !== "string") throw badStream("the id of a tool call", id);
    if (typeof name !== "string") throw badStream("the name of a tool call", name);
    const json = argumentsIn(input);
    const facts = `${name} ${json}`;
    let call = this.#calls.find((one) => one.start.id === id && !one.isWhole);
    if (call === undefined) {
      if (this.#whole.get(id) === facts) throw badStream("each tool call once", { id, name });
      yield* this.#addCall({ type: "tool.start", id, name });
      call = this.#calls.at(-1);
    }
    if (call === undefined) return;
    if (call.start.name !== name) throw badStream(`the tool call ${id} of ${call.start.name}`, name);
    if (call.json.trim() === "") yield* this.#addArguments(call, json);
    else if (!areSame(call.json, json))
      throw badStream(`the arguments of the tool call ${id} that streamed (${excerpt(call.json)})`, json);
    call.hasEnded = true;
    call.isWhole = true;
    call.metadata = joined(call.metadata, metadataOf(providerMetadata));
    this.#whole.set(id, facts);
    yield* this.#endCalls((one) => one.isWhole);
  }

  /** Ends the first calls, as long as they fit. The next one is passed on. */
  *#endCalls(fits: (call: Call) => boolean): Generator<ModelEvent> {
    for (let call = this.#calls[0]; call !== undefined; call = this.#calls[0]) {
      if (!fits(call)) return;
      this.#calls.shift();
      yield { type: "block.end", ...extraOf(call.metadata) };
      const [next] = this.#calls;
      if (next === undefined) break;
      yield next.start;
      for (const json of next.waiting.splice(0)) yield { type: "tool.delta", json };
    }
    for (const part of this.#later.splice(0)) yield* this.#decode(part);
  }

  #wait(chars: number): void {
    this.#waitingChars += chars;
    if (this.#waitingChars <= this.#waitingMaxChars) return;
    throw new ModelError(
      "bad_stream",
      `Expected at most ${this.#waitingMaxChars} characters that wait for the end of a tool call, received more. Raise waitingMaxChars to allow it.`,
      { retryable: false },
    );
  }

  *#finish({ finishReason, usage }: Json): Generator<ModelEvent> {
    yield* this.#endCalls(() => true);
    yield* this.#endProse();
    const stopReason = stopReasonOf(finishReason, this.#hasCalls);
    const lost = this.#sentChars - this.#receivedChars;
    if (lost > 0)
      throw badStream("each piece of arguments in its tool call", `${lost} characters without one`);
    this.#done = true;
    yield { type: "finished", stopReason, usage: usageOf(usage, this.#price) };
  }
}

function stopReasonOf(reason: unknown, hasCalls: boolean): StopReason {
  const { unified, raw } = isJson(reason) ? reason : { unified: undefined, raw: undefined };
  const stop = STOPS.get(unified);
  // Some endpoints end a response with calls like one without.
  if (stop === "end_turn" && hasCalls) return "tool_use";
  if (stop !== undefined) return stop;
  if (unified === "content-filter")
    throw new ModelError(
      "refusal",
      "The content filter of the endpoint ended the response. Rephrase the request: the same one is refused again.",
      { retryable: false },
    );
  // A stream that ends before the endpoint said why was cut (L4).
  if (unified === "interrupted" || raw === undefined) throw streamCut("no finish reason came");
  throw new ModelError("api_error", `The endpoint ended the response with "${String(raw)}". Try again.`, {
    retryable: true,
  });
}

/** The arguments of a whole call as JSON. */
function argumentsIn(input: unknown): string {
  if (typeof input === "string") return input;
  if (input === undefined) return "";
  if (isJson(input)) return JSON.stringify(input);
  throw badStream("arguments of a tool call", input);
}

/** Whether a whole call repeats the arguments that streamed. Some that are no JSON were cut, and never run (L7). */
function areSame(streamed: string, whole: string): boolean {
  const value = parsed(streamed);
  return value === undefined || streamed === whole || isDeepStrictEqual(value, parsed(whole));
}

/** Undefined for text that is no JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const extraOf = (metadata: ProviderOptions | undefined): { extra?: { providerMetadata: ProviderOptions } } =>
  metadata === undefined ? {} : { extra: { providerMetadata: metadata } };

/** Bytes as base64; data of version 4 without its kind. */
function encoded(data: unknown): { readonly data?: string } {
  const content = isJson(data) && data.type === "data" ? data.data : data;
  if (content instanceof Uint8Array) return { data: Buffer.from(content).toString("base64") };
  return typeof content === "string" ? { data: content } : {};
}

function textIn(part: Json, field: string): string {
  const value = part[field];
  if (typeof value === "string") return value;
  throw badStream(`the text ${field} of a part`, value);
}

const excerpt = (text: string): string => text.slice(0, 200);

function badStream(expected: string, received: unknown): ModelError {
  const shown = JSON.stringify(received) ?? String(received);
  return new ModelError(
    "bad_stream",
    `The response is not a stream of the AI SDK: expected ${expected}, got ${excerpt(shown)}. Check the version of the provider's package.`,
    { retryable: true },
  );
}
