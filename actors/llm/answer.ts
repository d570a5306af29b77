import type { AssistantBlock } from "../../machines/conversation/index.ts";
import type { LlmEvent, StopReason, Usage } from "../../machines/task/index.ts";
import { NO_USAGE } from "../../machines/task/index.ts";
import type { Tool } from "../../tools/index.ts";
import type { Untimed } from "../protocol/index.ts";
import type { Fold } from "./in-frames.ts";
import type { ModelEvent } from "./model.ts";
import { ModelError } from "./model-error.ts";
import { type Following, ToolBlock } from "./tool-block.ts";

/** What the task needs of a tool while its arguments stream. */
export type StreamedTool = Pick<Tool, "name" | "aliases" | "ask" | "partial">;

export interface AnswerOptions {
  readonly requestId: number;
  readonly tools: readonly StreamedTool[];
  readonly previewBytes: number;
  readonly answerMaxChars: number;
}

interface Prose {
  readonly kind: "text" | "thinking";
  /** Its place among the blocks that the task hears of, once it hears of it. */
  index?: number;
  sent: string;
  unsent: string;
}

/** A second call with the id of an earlier one: it can't be paired, so it is left out (L6). */
const REPEATED = { kind: "repeated" } as const;

/**
 * One answer of a model, from its pieces to what the task hears: blocks are numbered without gaps, text is
 * joined between two `take`s, blank text blocks are left out, and the end of a call is held until what follows
 * shows that it was not cut (L7).
 */
export class Answer implements Fold<ModelEvent, Untimed<LlmEvent>> {
  readonly #options: AnswerOptions;
  readonly #tools: ReadonlyMap<string, StreamedTool>;
  readonly #content: AssistantBlock[] = [];
  readonly #ids = new Set<string>();
  #out: Untimed<LlmEvent>[] = [];
  #block: Prose | ToolBlock | typeof REPEATED | undefined;
  #held: ToolBlock | undefined;
  #blocks = 0;
  #size = 0;
  #usage = NO_USAGE;
  #usageIsNew = false;
  #done = false;

  constructor(options: AnswerOptions) {
    this.#options = options;
    this.#tools = new Map(
      options.tools.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool] as const)),
    );
  }

  get done(): boolean {
    return this.#done;
  }

  /** What the endpoint has counted so far. */
  get usage(): Usage {
    return this.#usage;
  }

  /** @throws ModelError `empty_answer`, `answer_too_large`, `bad_stream` */
  push(event: ModelEvent): void {
    if (this.#done) return;
    switch (event.type) {
      case "text.delta":
        this.#say("text", event.text);
        return;
      case "thinking.delta":
        this.#say("thinking", event.text);
        return;
      case "thinking.end":
        this.#sign(event.signature);
        return;
      case "thinking.redacted":
        this.#begin();
        if (event.data !== "") this.#content.push({ type: "redacted_thinking", data: event.data });
        return;
      case "block.end":
        this.#end();
        return;
      case "tool.start":
        this.#call(event.id, event.name);
        return;
      case "tool.delta":
        this.#argue(event.json);
        return;
      case "usage":
        this.#usage = event.usage;
        this.#usageIsNew = true;
        return;
      case "finished":
        this.#finish(event.stopReason, event.usage);
        return;
    }
  }

  take(): readonly Untimed<LlmEvent>[] {
    const block = this.#block;
    if (block?.kind === "text" || block?.kind === "thinking") this.#send(block);
    if (block?.kind === "tool") {
      const preview = block.preview();
      if (preview !== undefined) {
        this.#out.push({ ...this.#of("llm.tool.delta"), callId: block.facts.callId, preview });
      }
    }
    if (this.#usageIsNew && !this.#done) this.#out.push({ ...this.#of("llm.usage"), usage: this.#usage });
    this.#usageIsNew = false;
    return this.#out.splice(0);
  }

  #of<T extends LlmEvent["type"]>(type: T): { readonly type: T; readonly requestId: number } {
    return { type, requestId: this.#options.requestId };
  }

  #say(kind: Prose["kind"], text: string): void {
    if (text === "") return;
    this.#grow(text.length);
    this.#prose(kind).unsent += text;
  }

  #prose(kind: Prose["kind"]): Prose {
    if (this.#block?.kind === kind) return this.#block;
    this.#begin();
    const block: Prose = { kind, sent: "", unsent: "" };
    this.#block = block;
    return block;
  }

  #sign(signature: string): void {
    const block = this.#prose("thinking");
    this.#end();
    // Without its signature the endpoint takes it for a forgery: it was shown, and doesn't go back.
    if (signature.trim() !== "")
      this.#content.push({ type: "thinking", thinking: block.sent + block.unsent, signature });
  }

  #call(id: string, spoken: string): void {
    this.#begin();
    if (id === "" || spoken === "") {
      throw new ModelError("bad_stream", "A tool call came without its id or its name: both are needed.", {
        retryable: true,
      });
    }
    if (this.#ids.has(id)) {
      this.#block = REPEATED;
      return;
    }
    this.#ids.add(id);
    const tool = this.#tools.get(spoken);
    const call = {
      index: this.#blocks,
      callId: `${this.#options.requestId}/${id}`,
      toolUseId: id,
      name: tool?.name ?? spoken,
      ask: tool?.ask ?? "tool",
    } as const;
    this.#blocks += 1;
    this.#block = new ToolBlock({
      ...call,
      spoken,
      partial: tool?.partial ?? (() => undefined),
      previewBytes: this.#options.previewBytes,
    });
    this.#out.push({ ...this.#of("llm.tool.start"), ...call });
  }

  #argue(json: string): void {
    this.#grow(json.length);
    if (this.#block?.kind === "tool") this.#block.add(json);
    else if (this.#block?.kind !== "repeated" && json !== "")
      throw new ModelError("bad_stream", "A piece of arguments came outside of a tool call.", {
        retryable: true,
      });
  }

  #finish(stopReason: StopReason, usage: Usage): void {
    this.#end();
    this.#usage = usage;
    this.#settle(stopReason);
    if (!this.#content.some(({ type }) => type === "text" || type === "tool_use")) {
      throw emptyAnswer(stopReason);
    }
    // No answer goes back that ends in thinking: it thought about nothing that it said.
    while (this.#content.at(-1)?.type.endsWith("thinking")) this.#content.pop();
    this.#done = true;
    this.#out.push({ ...this.#of("llm.finished"), stopReason, content: this.#content, usage });
  }

  /** What comes next is a block of its own: the one before it has ended, and was not cut. */
  #begin(): void {
    this.#end();
    this.#settle("block");
  }

  #end(): void {
    const block = this.#block;
    this.#block = undefined;
    if (block?.kind === "tool") this.#held = block;
    if (block?.kind !== "text" && block?.kind !== "thinking") return;
    this.#send(block);
    if (block.index === undefined) return;
    this.#out.push({ ...this.#of(`llm.${block.kind}.end`), index: block.index });
    // Thinking enters the conversation with its signature: without one, the endpoint takes it for a forgery.
    if (block.kind === "text") this.#content.push({ type: "text", text: block.sent });
  }

  #send(block: Prose): void {
    if (block.unsent === "") return;
    if (block.index === undefined) {
      if (block.unsent.trim() === "") return;
      block.index = this.#blocks;
      this.#blocks += 1;
    }
    this.#out.push({ ...this.#of(`llm.${block.kind}.delta`), index: block.index, text: block.unsent });
    block.sent += block.unsent;
    block.unsent = "";
  }

  #settle(following: Following): void {
    const block = this.#held;
    if (block === undefined) return;
    this.#held = undefined;
    const { callId, toolUseId: id, spoken: name } = block.facts;
    const came = block.finish(following);
    if (came.whole) this.#out.push({ ...this.#of("llm.tool.end"), callId, input: came.input });
    else this.#out.push({ ...this.#of("llm.tool.broken"), callId, error: came.error });
    this.#content.push({ type: "tool_use", id, name, input: came.whole ? came.input : block.unparsed() });
  }

  #grow(chars: number): void {
    this.#size += chars;
    if (this.#size <= this.#options.answerMaxChars) return;
    throw new ModelError(
      "answer_too_large",
      `The answer passed ${this.#options.answerMaxChars} characters. A longer one is allowed by answerMaxChars.`,
      { retryable: false },
    );
  }
}

function emptyAnswer(stopReason: StopReason): ModelError {
  const why =
    stopReason === "max_tokens"
      ? "it reached the output limit before either; a larger maxTokens leaves room after thinking"
      : `it stopped with ${stopReason}`;
  return new ModelError("empty_answer", `The answer has neither text nor a tool call: ${why}.`, {
    retryable: true,
  });
}
