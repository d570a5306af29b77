import { type MessagesRequest, readRequest } from "../../../testing/mock/protocol/request.ts";
import { validateRequest } from "../../../testing/mock/protocol/validation.ts";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";
import { ScriptedBlocks } from "../../../testing/mock/script/scripted-blocks.ts";

/** The types of blocks that the runtime makes or interprets. */
const KNOWN = new Set(["text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image"]);

/** Any other block of a response goes back as it came, also a wrong one: a text stands for it. */
function withoutOpaque(name: string, value: unknown): unknown {
  if (name !== "content" || !Array.isArray(value)) return value;
  return value.map((block) => (KNOWN.has(block?.type) ? block : { type: "text", text: "opaque" }));
}

/** The last field of a request. */
const MESSAGES = ',"messages":[';
interface Body {
  readonly messages: readonly unknown[];
}
type Message = MessagesRequest["messages"][number];

const NO_BETAS: ReadonlySet<string> = new Set();
const NOTHING_SCRIPTED = new ScriptedBlocks(parseScript("[{ text: Hello }]"));

/**
 * The protocol check of the mock server for the requests of a task. Each message is parsed once: a request repeats all
 * messages of the previous one.
 */
export class RequestCheck {
  readonly #heads = new Map<string, MessagesRequest>();
  readonly #messages = new Map<string, Message>();

  /** The reasons for which the API would reject a request. */
  problemsOf(text: string): readonly string[] {
    const problems: string[] = [];
    try {
      const at = text.indexOf(MESSAGES);
      const { messages }: Body = JSON.parse(`{${text.slice(at + 1)}`);
      const parsed = messages.map((message) => this.#message(message));
      const request = { ...this.#head(`${text.slice(0, at)}}`), messages: parsed };
      validateRequest(request, NOTHING_SCRIPTED, NO_BETAS);
    } catch (error) {
      problems.push(`the API rejects a request: ${String(error)}`);
    }
    if (hasLoneSurrogate(text)) problems.push("a request has a lone surrogate");
    return problems;
  }

  /** The other fields of a request. */
  #head(json: string): MessagesRequest {
    const head = this.#heads.get(json) ?? readRequest({ ...JSON.parse(json), messages: [] }, "message");
    this.#heads.set(json, head);
    return head;
  }

  #message(raw: unknown): Message {
    const key = JSON.stringify(raw);
    const known = this.#messages.get(key);
    if (known !== undefined) return known;
    const [message] = readRequest(
      { model: "m", messages: [JSON.parse(key, withoutOpaque)] },
      "count",
    ).messages;
    if (message === undefined) throw new Error("expected a message");
    this.#messages.set(key, message);
    return message;
  }
}

/** Whether a text in the JSON is not well-formed: JSON.stringify escapes a surrogate only if it is alone. */
export const hasLoneSurrogate = (json: string): boolean => /(?<!\\)(?:\\\\)*\\ud[89a-f]/i.test(json);
