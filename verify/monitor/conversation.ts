import { textBlock } from "../../machines/conversation/blocks.ts";
import type { AssistantBlock, Entry, UserBlock } from "../../machines/conversation/entry.ts";
import { validateConversation } from "../../machines/conversation/validate.ts";
import type { LogViolation } from "./violation.ts";

/**
 * An entry of a recorded conversation in the format of the Messages API. Its content is text or a list of blocks;
 * unknown block types are accepted.
 */
export interface RecordedEntry {
  readonly role: "user" | "assistant";
  readonly content: string | readonly RecordedBlock[];
}

/** A block of a recorded conversation. Only the fields below are checked. */
export interface RecordedBlock {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly data?: string;
  readonly id?: string;
  readonly name?: string;
  readonly tool_use_id?: string;
  /** Content of a `tool_result`. */
  readonly content?: unknown;
}

/**
 * Check L6 against a recorded conversation of any agent: roles alternate, nothing is empty, thinking has its
 * signature, and every `tool_use` has exactly one `tool_result`, in the next entry and in source order. The tool
 * calls of the last response may lack results. Unknown blocks count as text; a result may be empty, as the API
 * allows. Linear in the number of blocks; no entry makes it throw.
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
  const recorded = [...entries].map(toEntry);
  return validateConversation([...recorded, NEXT_ENTRY])
    .filter(({ entry }) => entry < recorded.length)
    .map(({ fault, entry, block, message }) => ({
      law: "L6",
      at: entry,
      ...(block !== undefined && { block }),
      expected: EXPECTED[fault],
      came: message,
    }));
}

/** The next user entry. Its faults, such as missing results, are not faults of the recording. */
const NEXT_ENTRY: Entry = { role: "user", content: [textBlock("next")] };

/** The rule that each fault violates. */
const EXPECTED = {
  no_entries: "a conversation has entries",
  first_not_user: "the first entry is of the user",
  last_not_user: "the last entry is of the user",
  roles_not_alternating: "roles alternate",
  empty_entry: "no entry is empty",
  empty_text: "no text is empty",
  empty_result: "no result is empty",
  unsigned_thinking: "thinking has its signature",
  thinking_last: "a response does not end with thinking",
  foreign_block: "each block fits the role of its entry",
  duplicate_call: "each tool call of a response has its own id",
  missing_result: "each tool call has a result in the next user entry",
  orphan_result: "each result has its tool call in the previous entry",
  duplicate_result: "each tool call has one result",
  results_out_of_order: "results are in the order of their tool calls",
  results_not_first: "results come before other blocks",
  unpaired_server_tool: "each server tool has its use and its result",
} as const;

function toEntry({ role, content }: RecordedEntry): Entry {
  const blocks = typeof content === "string" ? [textBlock(content)] : content.map(toBlock);
  // validateConversation checks which blocks a role may have.
  return { role, content: blocks } as Entry;
}

function toBlock(block: RecordedBlock): UserBlock | AssistantBlock {
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
