import {
  type AssistantBlock,
  type Entry,
  textBlock,
  type UserBlock,
  validateHistory,
} from "../../machines/conversation/index.ts";
import type { LogViolation } from "./violation.ts";

/**
 * An entry of a recorded conversation in the shape of the Messages API. Its content is text or a list of blocks;
 * blocks of kinds that we don't know are borne.
 */
export interface RecordedEntry {
  readonly role: "user" | "assistant";
  readonly content: string | readonly RecordedBlock[];
}

/** A block of a recorded conversation: what each known kind must have is looked at, the rest is borne. */
export interface RecordedBlock {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly data?: string;
  readonly id?: string;
  readonly name?: string;
  readonly tool_use_id?: string;
  /** Of a `tool_result`. */
  readonly content?: unknown;
}

/**
 * Holds L6 against a recorded conversation of any agent: roles alternate, nothing is empty, thinking has its
 * signature, and every `tool_use` has exactly one `tool_result`, in the next entry and in source order. The
 * calls of a last answer may still wait for their results. Blocks of unknown kinds count as text; a result may
 * be empty, as the API allows. Linear in the number of blocks; throws for no entry.
 *
 * @example
 * ```ts
 * import { monitorConversation } from "signalbox/verify";
 * const found = monitorConversation([
 *   { role: "user", content: "Fix it" },
 *   { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look" }] },
 *   { role: "user", content: "Well?" },
 * ]);
 * console.log(found.map(({ law, at }) => `${law} at ${at}`).join(", ")); // L6 at 2
 * ```
 */
export function monitorConversation(entries: Iterable<RecordedEntry>): readonly LogViolation[] {
  const history = [...entries].map(entryOf);
  return validateHistory([...history, STILL_TO_COME])
    .filter(({ entry }) => entry < history.length)
    .map(({ fault, entry, block, message }) => ({
      law: "L6",
      at: entry,
      ...(block !== undefined && { block }),
      expected: EXPECTED[fault],
      came: message,
    }));
}

/** The user's next word, with whatever the last calls wait for: what is wrong with it is no fault of what was recorded. */
const STILL_TO_COME: Entry = { role: "user", content: [textBlock("still to come")] };

/** What each fault of a history breaks. */
const EXPECTED = {
  no_entries: "a conversation has entries",
  first_not_user: "the user speaks first",
  last_not_user: "the user speaks last",
  roles_not_alternating: "roles alternate",
  empty_entry: "no entry is empty",
  empty_text: "no text is empty",
  empty_result: "no result is empty",
  unsigned_thinking: "thinking goes back with its signature",
  thinking_last: "an answer does not end with thinking",
  foreign_block: "each block stands with its role",
  duplicate_call: "each call of an answer has an id of its own",
  missing_result: "each call has a result in the next user entry",
  orphan_result: "each result has its call in the entry before",
  duplicate_result: "each call has one result",
  results_out_of_order: "results stand in the order of their calls",
  results_not_first: "results stand before other blocks",
} as const;

function entryOf({ role, content }: RecordedEntry): Entry {
  const blocks = typeof content === "string" ? [textBlock(content)] : content.map(blockOf);
  // Which block belongs to which role is what the checker is asked.
  return { role, content: blocks } as Entry;
}

function blockOf(block: RecordedBlock): UserBlock | AssistantBlock {
  switch (block.type) {
    case "text":
      return textBlock(block.text ?? "");
    case "thinking":
      return { type: "thinking", thinking: block.thinking ?? "", signature: block.signature ?? "" };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: block.data ?? "" };
    case "tool_use":
      return { type: "tool_use", id: block.id ?? "", name: block.name ?? "", input: {} };
    case "tool_result":
      return { type: "tool_result", tool_use_id: block.tool_use_id ?? "", content: [textBlock("a result")] };
    default:
      return textBlock(`a block of type ${block.type}`);
  }
}
