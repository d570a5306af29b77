import { type SpecTypeName, specTypeSchemas, type Transport } from "@modelcontextprotocol/client";

/** Characters of the name of an item in a problem. */
const NAME_CHARS = 100;
/** Characters of a reason. */
const REASON_CHARS = 200;

type Item = Readonly<Record<string, unknown>>;

/** The lists in the results of a server, by their field: the type of an item, and what is put in place of an invalid one. */
const LISTS: Readonly<
  Record<
    string,
    { readonly type: SpecTypeName; readonly noun: string; readonly instead?: (note: string) => Item }
  >
> = {
  tools: { type: "Tool", noun: "tool" },
  prompts: { type: "Prompt", noun: "prompt" },
  resources: { type: "Resource", noun: "resource" },
  resourceTemplates: { type: "ResourceTemplate", noun: "resource template" },
  content: { type: "ContentBlock", noun: "block of content", instead: (text) => ({ type: "text", text }) },
  contents: { type: "ResourceContents", noun: "content", instead: (text) => ({ uri: "", text }) },
  messages: {
    type: "PromptMessage",
    noun: "message",
    instead: (text) => ({ role: "user", content: { type: "text", text } }),
  },
};

/**
 * Validates what a server sends in lists item by item: the client of the protocol rejects a whole list for one item. An
 * invalid item of a result becomes a text that names it; one of an offer is left out.
 */
export class ListItems {
  #problems: string[] = [];

  /** Validate the messages of a transport that is connected. */
  watch(transport: Pick<Transport, "onmessage">): void {
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => onmessage?.(this.#checked(message), extra);
  }

  /** The problems with the items that were left out since the last call. */
  takeProblems(): readonly string[] {
    const problems = this.#problems;
    this.#problems = [];
    return problems;
  }

  #checked<M extends object>(message: M): M {
    if (!("result" in message) || !isItem(message.result)) return message;
    const { result } = message;
    const lists = Object.entries(LISTS).filter(([field]) => Array.isArray(result[field]));
    if (lists.length === 0) return message;
    const checked = lists.map(([field, list]) => [field, this.#items(result[field], list)]);
    return { ...message, result: { ...result, ...Object.fromEntries(checked) } };
  }

  #items(items: unknown, { type, noun, instead }: (typeof LISTS)[string]): readonly unknown[] {
    if (!Array.isArray(items)) return [];
    return items.flatMap((item: unknown, index) => {
      const problem = problemOf(type, item);
      if (problem === undefined) return [item];
      const name = isItem(item) && typeof item.name === "string" ? item.name : `number ${index + 1}`;
      const note = `Its ${noun} ${JSON.stringify(name.slice(0, NAME_CHARS))} is left out: ${problem}.`;
      if (instead !== undefined) return [instead(`[${note}]`)];
      this.#problems.push(note);
      return [];
    });
  }
}

const isItem = (value: unknown): value is Item =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The reason why an item is not valid, by the first field that is wrong. */
function problemOf(type: SpecTypeName, item: unknown): string | undefined {
  const result = specTypeSchemas[type]["~standard"].validate(item);
  if (result instanceof Promise || result.issues === undefined) return undefined;
  const [issue] = result.issues;
  const path = (issue?.path ?? [])
    .map((part) => String(typeof part === "object" ? part.key : part))
    .join(".");
  const reason = (issue?.message ?? "it is not valid").slice(0, REASON_CHARS);
  return path === "" ? reason : `${path}: ${reason}`;
}
