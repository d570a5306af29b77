import type { AssistantBlock, Entry, OpaqueBlock, UserBlock } from "../../machines/conversation/entry.ts";
import type { ClineMessage } from "../../machines/message/message.ts";

/** An entry in the format of the Messages API, with its other fields. Blocks that are not interpreted are as they came. */
export interface RooEntry {
  readonly role: Entry["role"];
  readonly content: readonly (UserBlock | Exclude<AssistantBlock, OpaqueBlock> | OpaqueBlock["block"])[];
}

/** Content of the two files of a task folder. */
export interface ToRoo {
  readonly ui: readonly ClineMessage[];
  readonly api: readonly RooEntry[];
}

/**
 * Convert a task to the files of Roo Code. Our own fields (`closing`, `callId`, `exitCode`) are kept: Roo Code ignores
 * unknown fields, and an import loses nothing. A `text` of null is left out, as the format does not allow it.
 */
export function toRoo(task: {
  readonly messages: Iterable<ClineMessage>;
  readonly conversation: Iterable<Entry>;
}): ToRoo {
  return { ui: Array.from(task.messages, withoutNull), api: Array.from(task.conversation, toRooEntry) };
}

function toRooEntry(entry: Entry): RooEntry {
  if (!entry.content.some(({ type }) => type === "opaque")) return entry;
  return { ...entry, content: entry.content.map((block) => (block.type === "opaque" ? block.block : block)) };
}

function withoutNull(message: ClineMessage): ClineMessage {
  if (message.text !== null) return message;
  const { text: _null, ...rest } = message;
  return rest;
}
