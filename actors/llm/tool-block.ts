import { Allow, parse as parsePartial } from "partial-json";
import type { StopReason } from "../../machines/task/task.events.ts";
import type { CallAsk, Input } from "../../machines/tool-call/call.ts";
import type { ExtraFields } from "../../ports/model.ts";
import { endsInsideCharacter, wellFormedJson } from "../protocol/well-formed.ts";

/** Maximum length of broken arguments that the model gets back, in characters. */
const UNPARSED_MAX_CHARS = 2_000;

/** The part of a response after a tool block: another block, or the end of the response. */
export type Following = "block" | StopReason;

/** The limits at which a response is cut. */
const LIMITS: ReadonlyMap<Following, string> = new Map([
  ["max_tokens", "the output limit"],
  ["model_context_window_exceeded", "the end of the context window (model_context_window_exceeded)"],
]);

/** The arguments of a tool call: complete, or the error. */
export type Arguments =
  | { readonly whole: true; readonly input: Input }
  | { readonly whole: false; readonly error: string };

export interface ToolBlockFacts {
  readonly index: number;
  readonly callId: string;
  readonly toolUseId: string;
  /** Name in the response: the canonical name or an alias. */
  readonly requestedName: string;
  /** The canonical name. */
  readonly name: string;
  readonly ask: CallAsk;
  /** Other fields of the block. */
  readonly extra: ExtraFields;
  readonly partial: (input: Input) => string | undefined;
  readonly previewBytes: number;
}

/** The new part of a call: the text of its partial message, or how many characters of its arguments were received. */
type Growth = { readonly preview: string } | { readonly received: number };

/** A tool call while its arguments stream. Previews use only the first bytes. */
export class ToolBlock {
  readonly kind = "tool";
  readonly facts: ToolBlockFacts;
  readonly #pieces: string[] = [];
  #length = 0;
  #head = "";
  #looked = 0;
  #previewed = 0;
  /** The length that was last reported. */
  #reported = 0;

  constructor(facts: ToolBlockFacts) {
    this.facts = facts;
  }

  add(json: string): void {
    this.#pieces.push(json);
    this.#length += json.length;
    const room = this.facts.previewBytes - this.#head.length;
    if (room > 0) this.#head += json.length > room ? json.slice(0, room) : json;
  }

  growth(): Growth | undefined {
    const preview = this.#newPreview();
    if (preview !== undefined) return { preview };
    if (this.#length < this.#reported + this.facts.previewBytes) return undefined;
    this.#reported = this.#length;
    return { received: this.#length };
  }

  /** Text of the partial message: when it is first known, then whenever it has doubled. */
  #newPreview(): string | undefined {
    if (this.#head.length === this.#looked || this.#head.length < this.#previewed) return undefined;
    this.#looked = this.#head.length;
    // With many escapes the text can be longer than its input: then half of the input is used.
    for (let length = this.#head.length; length > 0; length = Math.floor(length / 2)) {
      const text = this.#describe(this.#head.slice(0, length))?.toWellFormed();
      if (text === undefined || text.length < 2 * this.#previewed) return undefined;
      if (Buffer.byteLength(text) > this.facts.previewBytes) continue;
      this.#previewed = text.length;
      return text;
    }
    return undefined;
  }

  /** Parse once. A block that ends at the output limit was cut (L7). */
  finish(following: Following): Arguments {
    const { name } = this.facts;
    const limit = LIMITS.get(following);
    if (limit !== undefined) {
      return broken(
        `The arguments of ${name} did not arrive whole: the answer reached ${limit} after ${this.#length} characters of them. The call was not run. Send it again, in smaller parts if it is long.`,
      );
    }
    const json = this.json();
    if (json.trim() === "") {
      if (following !== "stop_sequence" && following !== "pause_turn") return { whole: true, input: {} };
      return broken(`The arguments of ${name} did not arrive: the answer ended (${following}) before them.`);
    }
    try {
      const input = wellFormedJson(JSON.parse(json));
      if (isInput(input)) return { whole: true, input };
      return broken(`The arguments of ${name} are not a JSON object: expected {...}, got ${kindOf(input)}.`);
    } catch (error) {
      return broken(
        `The arguments of ${name} are not valid JSON: ${error instanceof Error ? error.message : String(error)}. Expected one JSON object. The call was not run.`,
      );
    }
  }

  /** Placeholder of broken arguments in the conversation. Never `{}`, which would look like a valid call. */
  unparsed(): Input {
    const text = this.json().slice(0, UNPARSED_MAX_CHARS);
    return { unparsed_arguments: (endsInsideCharacter(text) ? text.slice(0, -1) : text).toWellFormed() };
  }

  json(): string {
    if (this.#pieces.length > 1) this.#pieces.splice(0, this.#pieces.length, this.#pieces.join(""));
    return this.#pieces[0] ?? "";
  }

  #describe(head: string): string | undefined {
    const input = readPartial(head, Allow.ALL);
    if (input === undefined) return undefined;
    const ended = readPartial(head, ~Allow.STR) ?? {};
    // A partial path is another path: it is shown once its string is complete.
    const known = Object.entries(input).filter(([key]) => Object.hasOwn(ended, key) || !/path$/i.test(key));
    try {
      return this.facts.partial(Object.fromEntries(known));
    } catch {
      return undefined;
    }
  }
}

/** The error quotes the arguments, maybe cut within a character. */
function broken(error: string): Arguments {
  return { whole: false, error: error.toWellFormed() };
}

function isInput(value: unknown): value is Input {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

/** Parse a partial object. Undefined if there is none. */
function readPartial(json: string, allow: number): Input | undefined {
  try {
    const value: unknown = parsePartial(json, allow);
    return isInput(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
