import type { Conversation } from "../../machines/conversation/conversation.ts";
import type { AssistantBlock, Entry, OpaqueBlock } from "../../machines/conversation/entry.ts";
import { memoize } from "../../machines/conversation/memoize.ts";
import { isAmount } from "../../machines/message/request.ts";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { LlmEvent, StopReason, Usage } from "../../machines/task/task.events.ts";
import type { ExtraFields, ModelEvent } from "../../ports/model.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Untimed } from "../protocol/released.ts";
import { endsInsideCharacter, wellFormedJson } from "../protocol/well-formed.ts";
import type { Fold } from "./frames.ts";
import { ModelError } from "./model-error.ts";
import { type Following, ToolBlock } from "./tool-block.ts";

/** The part of a tool that is used while its arguments stream. */
export type StreamedTool = Pick<Tool, "name" | "group" | "aliases" | "ask" | "partial">;

export interface ResponseOptions {
  readonly requestId: number;
  /** The conversation that the response continues. */
  readonly history: Conversation;
  readonly tools: readonly StreamedTool[];
  /** Whether a call of the tool is shown while its arguments stream. */
  readonly permits: (tool: StreamedTool) => boolean;
  readonly previewBytes: number;
  readonly answerMaxChars: number;
}

interface Prose {
  readonly kind: "text" | "thinking";
  /** Position among the blocks that the task receives; undefined while the block is blank. */
  index?: number;
  sent: string;
  /** Joined once per frame: a string built with `+=` keeps all its parts in memory. */
  readonly unsent: string[];
}

/** Begins the id of a call that came without one. */
const NAMELESS = "call";

/**
 * Folds the events of one response into events of the task: blocks are numbered without gaps, text is joined between
 * two `take`s, blank text blocks are excluded, and the end of a call is held until the next event shows that the call
 * was not cut (L7).
 */
export class ModelResponse implements Fold<ModelEvent, Untimed<LlmEvent>> {
  readonly #options: ResponseOptions;
  readonly #tools: ReadonlyMap<string, StreamedTool>;
  readonly #content: AssistantBlock[] = [];
  /** The ids under which the conversation has the calls. */
  readonly #ids = new Set<string>();
  #out: Untimed<LlmEvent>[] = [];
  #block: Prose | ToolBlock | undefined;
  #held: { readonly block: ToolBlock; readonly extra: ExtraFields } | undefined;
  #blocks = 0;
  #size = 0;
  #usage = NO_USAGE;
  #usageIsNew = false;
  #done = false;

  constructor(options: ResponseOptions) {
    this.#options = options;
    this.#tools = new Map(
      options.tools.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool] as const)),
    );
  }

  get done(): boolean {
    return this.#done;
  }

  /** Token counts reported so far. */
  get usage(): Usage {
    return this.#usage;
  }

  /** @throws ModelError `empty_answer`, `answer_too_large`, `bad_stream` */
  push(event: ModelEvent): boolean {
    if (this.#done) return true;
    switch (event.type) {
      case "text.delta":
        return this.#addText("text", event.text);
      case "thinking.delta":
        return this.#addText("thinking", event.text);
      case "thinking.end":
        this.#endThinking(event.signature, event.extra);
        break;
      case "thinking.redacted":
        this.#startBlock();
        if (event.data !== "" && event.data.isWellFormed())
          this.#content.push({ type: "redacted_thinking", data: event.data });
        break;
      case "block.end":
        this.#endBlock(event.extra);
        break;
      case "opaque":
        this.#addOpaque(event.block);
        break;
      case "tool.start":
        this.#startCall(event.id.toWellFormed(), event.name.toWellFormed(), event.extra);
        break;
      case "tool.delta":
        this.#addArguments(event.json);
        break;
      case "usage":
        this.#usage = summable(event.usage, this.#usage);
        this.#usageIsNew = true;
        break;
      case "finished":
        this.#finish(event.stopReason, event.usage);
        break;
    }
    return this.#done;
  }

  take(): readonly Untimed<LlmEvent>[] {
    const block = this.#block;
    if (block?.kind === "text" || block?.kind === "thinking") this.#sendText(block, false);
    if (block?.kind === "tool") {
      const growth = block.growth();
      if (growth !== undefined)
        this.#out.push({ ...this.#event("llm.tool.delta"), callId: block.facts.callId, ...growth });
    }
    if (this.#usageIsNew && !this.#done) this.#out.push({ ...this.#event("llm.usage"), usage: this.#usage });
    this.#usageIsNew = false;
    return this.#out.splice(0);
  }

  #event<T extends LlmEvent["type"]>(type: T): { readonly type: T; readonly requestId: number } {
    return { type, requestId: this.#options.requestId };
  }

  /** Returns true for the first visible text of a block: it must not wait for the end of a frame. */
  #addText(kind: Prose["kind"], text: string): boolean {
    if (text === "") return false;
    this.#grow(text.length);
    const block = this.#prose(kind);
    block.unsent.push(text);
    return block.index === undefined && text.trim() !== "";
  }

  #prose(kind: Prose["kind"]): Prose {
    if (this.#block?.kind === kind) return this.#block;
    this.#startBlock();
    const block: Prose = { kind, sent: "", unsent: [] };
    this.#block = block;
    return block;
  }

  #endThinking(signature: string, extra: ExtraFields = {}): void {
    const block = this.#prose("thinking");
    this.#endBlock();
    // The endpoint rejects thinking without its signature, and is only shown.
    if (signature.trim() === "" || !signature.isWellFormed()) return;
    const thinking = block.sent + block.unsent.join("");
    this.#content.push({ ...wellFormed(extra), type: "thinking", thinking, signature });
  }

  #addOpaque(received: OpaqueBlock["block"]): void {
    this.#startBlock();
    const block = { ...wellFormed(received), type: received.type.toWellFormed() };
    const json = JSON.stringify(block);
    this.#grow(json.length);
    for (const id of idsOf({ type: "opaque", block })) this.#ids.add(id);
    this.#content.push({ type: "opaque", block });
    const index = this.#blocks;
    this.#blocks += 1;
    this.#out.push({ ...this.#event("llm.opaque"), index, text: `${block.type}\n${excerpt(json)}` });
  }

  #startCall(id: string, requestedName: string, extra: ExtraFields = {}): void {
    this.#startBlock();
    if (requestedName === "") {
      throw new ModelError(
        "bad_stream",
        "Expected a tool call with a name, received one without. Try again.",
        {
          retryable: true,
        },
      );
    }
    const toolUseId = this.#uniqueId(id);
    this.#ids.add(toolUseId);
    const tool = this.#tools.get(requestedName);
    const call = {
      index: this.#blocks,
      callId: `${this.#options.requestId}/${toolUseId}`,
      toolUseId,
      name: tool?.name ?? requestedName,
      ask: tool?.ask ?? "tool",
    } as const;
    this.#blocks += 1;
    this.#block = new ToolBlock({
      ...call,
      extra: wellFormed(extra),
      requestedName,
      partial: tool !== undefined && this.#options.permits(tool) ? tool.partial : () => undefined,
      previewBytes: this.#options.previewBytes,
    });
    this.#out.push({ ...this.#event("llm.tool.start"), ...call });
  }

  /**
   * The one id of a call, in the conversation and everywhere else (L6): an endpoint may send none, repeat one of this
   * response or of an earlier one, or use characters that it rejects later.
   */
  #uniqueId(received: string): string {
    const id = received.replaceAll(/[^\w-]/g, "_") || NAMELESS;
    const isUsed = (other: string): boolean =>
      this.#ids.has(other) || hasToolUse(this.#options.history, other);
    let unique = id;
    for (let copy = 2; isUsed(unique); copy += 1) unique = `${id}_${copy}`;
    return unique;
  }

  #addArguments(json: string): void {
    this.#grow(json.length);
    if (this.#block?.kind === "tool") this.#block.add(json);
    else if (json !== "")
      throw new ModelError(
        "bad_stream",
        "Expected arguments inside a tool call, received them outside of one. Try again.",
        {
          retryable: true,
        },
      );
  }

  #finish(stopReason: StopReason, usage: Usage): void {
    this.#endBlock();
    this.#usage = summable(usage, this.#usage);
    this.#endCall(stopReason);
    // Thinking at the end of a response precedes nothing: the endpoint rejects it.
    while (this.#content.at(-1)?.type.endsWith("thinking")) this.#content.pop();
    if (this.#content.length === 0) throw emptyResponse(stopReason);
    this.#done = true;
    this.#out.push({
      ...this.#event("llm.finished"),
      stopReason,
      content: this.#content,
      usage: this.#usage,
    });
  }

  /** End the block before a new one. A block that another follows was not cut. */
  #startBlock(): void {
    this.#endBlock();
    this.#endCall("block");
  }

  #endBlock(extra: ExtraFields = {}): void {
    const block = this.#block;
    this.#block = undefined;
    if (block?.kind === "tool") this.#held = { block, extra: { ...block.facts.extra, ...wellFormed(extra) } };
    if (block?.kind !== "text" && block?.kind !== "thinking") return;
    this.#sendText(block, true);
    if (block.index === undefined) return;
    this.#out.push({ ...this.#event(`llm.${block.kind}.end`), index: block.index });
    // Thinking enters the conversation with its signature.
    if (block.kind === "text") this.#content.push({ ...wellFormed(extra), type: "text", text: block.sent });
  }

  /** Send what came of a block. A character may be split between two deltas: its first half waits for the second. */
  #sendText(block: Prose, isWhole: boolean): void {
    const received = block.unsent.join("");
    const isSplit = !isWhole && endsInsideCharacter(received);
    const text = (isSplit ? received.slice(0, -1) : received).toWellFormed();
    if (text === "") return;
    if (block.index === undefined) {
      if (text.trim() === "") return;
      block.index = this.#blocks;
      this.#blocks += 1;
    }
    this.#out.push({ ...this.#event(`llm.${block.kind}.delta`), index: block.index, text });
    block.sent += text;
    block.unsent.splice(0, block.unsent.length, ...(isSplit ? [received.slice(-1)] : []));
  }

  #endCall(following: Following): void {
    if (this.#held === undefined) return;
    const { block, extra } = this.#held;
    this.#held = undefined;
    const { callId, toolUseId: id, requestedName: name } = block.facts;
    const result = block.finish(following);
    if (result.whole) this.#out.push({ ...this.#event("llm.tool.end"), callId, input: result.input });
    else this.#out.push({ ...this.#event("llm.tool.broken"), callId, error: result.error });
    const input = result.whole ? result.input : block.unparsed();
    this.#content.push({ ...extra, type: "tool_use", id, name, input });
  }

  #grow(chars: number): void {
    this.#size += chars;
    if (this.#size <= this.#options.answerMaxChars) return;
    throw new ModelError(
      "answer_too_large",
      `Expected a response of at most ${this.#options.answerMaxChars} characters, received more. Raise answerMaxChars to allow it.`,
      { retryable: false },
    );
  }
}

/** Maximum length of a block's JSON in its message, in characters. */
const EXCERPT_MAX_CHARS = 2_000;

function excerpt(json: string): string {
  if (json.length <= EXCERPT_MAX_CHARS) return json;
  return `${json.slice(0, EXCERPT_MAX_CHARS).toWellFormed()} ... [${json.length} characters]`;
}

/** The fields with well-formed texts: an endpoint rejects others. @throws ModelError `bad_stream` */
function wellFormed(fields: ExtraFields): ExtraFields {
  try {
    const value = wellFormedJson(fields);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ModelError("bad_stream", `Expected a block that can be kept, but ${reason}. Try again.`, {
      retryable: true,
      cause,
    });
  }
}

function hasToolUse(history: Conversation, id: string): boolean {
  for (const entries of history.leaves()) if (toolUseIds(entries).has(id)) return true;
  return false;
}

const toolUseIds = memoize(
  (entries: readonly Entry[]): ReadonlySet<string> =>
    new Set(entries.flatMap(({ content }) => content.flatMap(idsOf))),
);

/** The id of a call, also of one that the endpoint runs. */
function idsOf(block: Entry["content"][number]): readonly string[] {
  if (block.type === "tool_use") return [block.id];
  if (block.type !== "opaque") return [];
  return [block.block.id, block.block.toolCallId].filter((id) => typeof id === "string");
}

/** The usage; an amount that cannot be summed keeps its previous value. */
function summable(usage: Usage, previous: Usage): Usage {
  const amount = (name: Exclude<keyof Usage, "cost">): number =>
    isAmount(usage[name]) ? usage[name] : previous[name];
  return {
    tokensIn: amount("tokensIn"),
    tokensOut: amount("tokensOut"),
    cacheWrites: amount("cacheWrites"),
    cacheReads: amount("cacheReads"),
    cost: usage.cost === null || isAmount(usage.cost) ? usage.cost : previous.cost,
  };
}

function emptyResponse(stopReason: StopReason): ModelError {
  const reason =
    stopReason === "max_tokens"
      ? "it reached the output limit before either; raise maxTokens to leave room after thinking"
      : `it stopped with ${stopReason}`;
  return new ModelError("empty_answer", `Expected text or a tool call, received neither: ${reason}.`, {
    retryable: true,
  });
}
