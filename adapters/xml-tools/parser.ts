import { ModelError } from "../../actors/llm/model-error.ts";
import type { ModelEvent, ModelTool } from "../../ports/model.ts";
import { EventList } from "./event-list.ts";
import {
  markupOf,
  type NextTag,
  nextTag,
  type Partial,
  skipSpace,
  type ToolMarkup,
  tagAt,
} from "./markup.ts";
import type { ValueFormat } from "./parameters.ts";

/** The text before the next markup. Each state but `start` has its own closing markup. */
type State =
  /** Nothing but white space came so far. */
  | { readonly kind: "start" }
  /** `opening` is its tag, with the white space before it. */
  | { readonly kind: "thinking"; readonly opening: string; readonly close: string }
  | { readonly kind: "text" }
  | {
      readonly kind: "value";
      readonly tool: ToolMarkup;
      /** The parameters that the call has, this one too. */
      readonly given: ReadonlySet<string>;
      readonly format: ValueFormat;
      readonly close: string;
    };

const START: State = { kind: "start" };
const TEXT: State = { kind: "text" };
const NONE: ReadonlySet<string> = new Set();
const THINKING = ["<thinking>", "<think>"];

export interface ParserOptions {
  readonly tools: readonly ModelTool[];
  /** Begins the id of each call. */
  readonly idPrefix: string;
  /** Maximum length of text that is held back. */
  readonly heldMaxChars: number;
}

/**
 * Parses a response with markup into events. Text is held back only as long as it may be markup: a tag, thinking at the
 * start of the response, and a value that is JSON. A call becomes whole only by its closing tag (L7).
 */
export class XmlParser {
  readonly #options: ParserOptions;
  readonly #tools: ReadonlyMap<string, ToolMarkup>;
  readonly #thinking: readonly string[];
  readonly #events = new EventList();
  #state: State = START;
  /** The text that is not parsed yet. */
  #buffer = "";
  /** Position in the buffer before which there is no markup. */
  #searched = 0;
  #calls = 0;

  constructor(options: ParserOptions) {
    this.#options = options;
    this.#tools = markupOf(options.tools);
    this.#thinking = THINKING.filter((tag) => !this.#tools.has(tag));
  }

  /** Number of calls so far. */
  get calls(): number {
    return this.#calls;
  }

  /** Parse more text. @throws ModelError `answer_too_large` if too much must be held back */
  push(text: string): readonly ModelEvent[] {
    this.#buffer += text;
    while (this.#step());
    if (this.#buffer.length <= this.#options.heldMaxChars) return this.#events.take();
    throw new ModelError(
      "answer_too_large",
      `Expected at most ${this.#options.heldMaxChars} characters of thinking or of a JSON value in the markup of tools, received more. Raise heldMaxChars to allow it.`,
      { retryable: false },
    );
  }

  /** End a block of text: what was held back is no markup. A call that has not ended stays cut. */
  end(): readonly ModelEvent[] {
    const state = this.#state;
    const rest = this.#take(this.#buffer.length);
    if (state.kind === "value") this.#events.json(state.format === "text" ? charactersOf(rest) : "");
    else this.#events.text(state.kind === "thinking" ? state.opening + rest : rest);
    // After white space alone, the next block is still the start of the response.
    if (state.kind !== "start" || rest.trim() !== "") this.#state = TEXT;
    return this.#events.take();
  }

  /** Parses up to the next markup. Returns whether there may be more to parse. */
  #step(): boolean {
    const state = this.#state;
    switch (state.kind) {
      case "start":
        return this.#begin();
      case "thinking":
        return this.#think(state.close);
      case "text":
        return this.#findCall();
      case "value":
        return this.#findEnd(state);
    }
  }

  #begin(): boolean {
    const at = skipSpace(this.#buffer, 0);
    const found = at === undefined ? undefined : tagAt(this.#buffer, at, this.#thinking);
    if (found === "partial") return false;
    if (at === undefined || found === undefined) this.#state = TEXT;
    else {
      const { tag } = found;
      this.#state = { kind: "thinking", opening: this.#take(at + tag.length), close: tag.replace("<", "</") };
    }
    return true;
  }

  #think(close: string): boolean {
    const found = this.#search((at) => tagAt(this.#buffer, at, [close]));
    if (found === undefined) return false;
    this.#events.thinking(this.#take(found.at));
    this.#take(close.length);
    this.#state = TEXT;
    return true;
  }

  #findCall(): boolean {
    const found = this.#search((at) => this.#callAt(at));
    this.#events.text(this.#take(found?.at ?? this.#searched));
    if (found === undefined) return false;
    const { tool, next } = found.markup;
    this.#calls += 1;
    this.#events.startCall(`${this.#options.idPrefix}${this.#calls}`, tool.name);
    this.#events.json("{");
    this.#take(next.end - found.at);
    this.#continue(tool, next, NONE);
    return true;
  }

  #callAt(at: number): { readonly tool: ToolMarkup; readonly next: NextTag } | Partial | undefined {
    const found = tagAt(this.#buffer, at, this.#tools.keys());
    if (found === undefined || found === "partial") return found;
    const tool = this.#tools.get(found.tag);
    if (tool === undefined) return undefined;
    const next = nextTag(this.#buffer, at + found.tag.length, tool, NONE);
    return next === undefined || next === "partial" ? next : { tool, next };
  }

  /** A closing tag ends a value only where a tag of the call follows: a text may have such a tag itself. */
  #findEnd({ tool, given, format, close }: Extract<State, { kind: "value" }>): boolean {
    const found = this.#search((at) => {
      const tag = tagAt(this.#buffer, at, [close]);
      if (tag === undefined || tag === "partial") return tag;
      return nextTag(this.#buffer, at + close.length, tool, given);
    });
    if (format === "text") this.#events.json(charactersOf(this.#take(found?.at ?? this.#searched)));
    if (found === undefined) return false;
    this.#events.json(format === "text" ? '"' : jsonOf(this.#take(found.at)));
    this.#take(found.markup.end - found.at);
    this.#continue(tool, found.markup, given);
    return true;
  }

  /** Goes on after a tag of a call. */
  #continue(tool: ToolMarkup, next: NextTag, given: ReadonlySet<string>): void {
    if (next.kind === "close") {
      this.#events.json("}");
      this.#events.endCall();
      this.#state = TEXT;
      return;
    }
    const { name, format } = next;
    const comma = given.size > 0 ? "," : "";
    this.#events.json(`${comma}${JSON.stringify(name)}:${format === "text" ? '"' : ""}`);
    this.#state = { kind: "value", tool, given: new Set([...given, name]), format, close: `</${name}>` };
  }

  /** The first markup that matches at a `<`. Without one, `#searched` is the length of the text before what may become one. */
  #search<T extends object>(
    match: (at: number) => T | Partial | undefined,
  ): { readonly at: number; readonly markup: T } | undefined {
    for (;;) {
      const at = this.#buffer.indexOf("<", this.#searched);
      this.#searched = at < 0 ? this.#buffer.length : at;
      const markup = at < 0 ? "partial" : match(at);
      if (markup === "partial") return undefined;
      if (markup !== undefined) return { at, markup };
      this.#searched = at + 1;
    }
  }

  /** Removes text from the start of the buffer. */
  #take(length: number): string {
    const text = this.#buffer.slice(0, length);
    this.#buffer = this.#buffer.slice(length);
    this.#searched = 0;
    return text;
  }
}

/** A text within a JSON string. */
const charactersOf = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A value as JSON. One that is no JSON becomes a string, which the validation of the arguments names. */
function jsonOf(value: string): string {
  try {
    JSON.parse(value);
    return value.trim();
  } catch {
    return JSON.stringify(value);
  }
}
