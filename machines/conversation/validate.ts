import type { AssistantEntry, Entry, UserEntry } from "./entry.ts";

/** Fault that makes the Messages API reject a conversation (L6). */
export type ConversationFault =
  /** The conversation is empty. Add an entry of the user. */
  | "no_entries"
  /** The first entry is from the assistant. Put an entry of the user before it. */
  | "first_not_user"
  /** The last entry is from the assistant. Add an entry of the user. */
  | "last_not_user"
  /** Two consecutive entries have one role. Join them. */
  | "roles_not_alternating"
  /** An entry has no blocks. Drop it. */
  | "empty_entry"
  /** A text block is empty or blank. Drop it. */
  | "empty_text"
  /** A tool result is empty. Write that there is no output. */
  | "empty_result"
  /** A thinking block has no signature. Drop it. */
  | "unsigned_thinking"
  /** A response ends with a thinking block. Drop the block. */
  | "thinking_last"
  /** A block has the wrong role. Move or drop it. */
  | "foreign_block"
  /** Two tool calls of a response share an id. Drop one. */
  | "duplicate_call"
  /** A tool call has no result in the next entry. Add one for each call. */
  | "missing_result"
  /** A tool result has no tool call. Drop it. */
  | "orphan_result"
  /** A tool call has two results. Drop one. */
  | "duplicate_result"
  /** Tool results are not in the order of their calls. Sort them. */
  | "results_out_of_order"
  /** A block stands before a tool result. Put the results first. */
  | "results_not_first"
  /** A server tool has a use or a result only. Drop the block. */
  | "unpaired_server_tool";

/** One fault and its position: `entry` and `block` count from 0. */
export interface ConversationViolation {
  readonly fault: ConversationFault;
  readonly entry: number;
  readonly block?: number;
  /** The fault in one sentence. */
  readonly message: string;
}

export interface ConversationRules {
  /** Whether the conversation may end with an assistant entry, to continue a paused turn (`pause_turn`). */
  readonly mayEndWithAssistant?: boolean;
}

/**
 * Find everything for which the Messages API would reject a conversation, in the order of its entries (L6). It shares no
 * code with the functions that build conversations. Linear in the number of blocks.
 *
 * A valid conversation has entries. Roles alternate; the user is first and, except for a paused turn, last. No entry, text
 * or result is empty or blank. Each block is allowed for its role. Thinking is signed and not last in a response. Each
 * `tool_use` has a unique id in its response and exactly one `tool_result`: in the next user entry, in order, before other
 * blocks. The use of a server tool has its result in the same response, or in the next one if it also calls tools.
 */
export function validateConversation(
  history: Iterable<Entry>,
  options: ConversationRules = {},
): readonly ConversationViolation[] {
  const found: ConversationViolation[] = [];
  const serverTools = new ServerTools();
  let before: Entry | undefined;
  let position = 0;
  for (const entry of history) {
    if (before === undefined || VALID_AFTER.get(entry) !== before) {
      const violations = found.length;
      checkEntry(entry, before, reporter(found, position));
      if (found.length === violations) VALID_AFTER.set(entry, before);
    }
    if (entry.role === "assistant") serverTools.check(entry, reporter(found, position));
    before = entry;
    position += 1;
  }
  const report = reporter(found, Math.max(0, position - 1));
  checkEnd(before, report, options);
  if (before?.role === "user") serverTools.end(report);
  return found;
}

/** The uses of server tools that have no result yet, across the responses. */
class ServerTools {
  #open = new Set<string>();
  /** Whether their results may be in the next response. */
  #mayFollow = false;

  check({ content }: AssistantEntry, report: Report): void {
    this.end(report);
    const earlier = this.#open;
    this.#open = new Set();
    content.forEach((block, at) => {
      if (block?.type !== "opaque") return;
      const { type, id, tool_use_id: use } = block.block;
      if (type.endsWith("_use") && typeof id === "string") this.#open.add(id);
      if (!type.endsWith("_result") || typeof use !== "string") return;
      if (!earlier.delete(use) && !this.#open.delete(use))
        report("unpaired_server_tool", `The result of the server tool ${use} has no use before it.`, at);
    });
    for (const id of earlier) report("unpaired_server_tool", `The server tool ${id} has no result.`);
    this.#mayFollow = content.some((block) => block?.type === "tool_use");
  }

  /** Uses whose results can't follow any more. */
  end(report: Report): void {
    if (this.#mayFollow) return;
    for (const id of this.#open) report("unpaired_server_tool", `The server tool ${id} has no result.`);
    this.#open.clear();
  }
}

/**
 * For each valid entry, its previous entry. A rule concerns an entry and its previous one, and entries are immutable: a
 * growing conversation is validated once, not once per turn.
 */
const VALID_AFTER = new WeakMap<Entry, Entry | undefined>();

function checkEntry(entry: Entry, before: Entry | undefined, report: Report): void {
  checkRole(entry, before, report);
  if (entry.content.length === 0) report("empty_entry", "The entry has no blocks.");
  const asked = before?.role === "assistant" ? callIds(before) : [];
  if (entry.role === "assistant") {
    reportMissing(new Set(asked), report);
    checkAssistant(entry, report);
  } else {
    checkUserBlocks(entry, report);
    checkResults(entry, asked, report);
  }
}

type Report = (fault: ConversationFault, message: string, block?: number) => void;

const reporter =
  (found: ConversationViolation[], entry: number): Report =>
  (fault, message, block) => {
    found.push({ fault, entry, message, ...(block !== undefined && { block }) });
  };

const isBlank = (text: string): boolean => !/\S/.test(text);

const callIds = (entry: AssistantEntry): string[] =>
  entry.content.flatMap((block) => (block?.type === "tool_use" ? [block.id] : []));

function checkRole(entry: Entry, before: Entry | undefined, report: Report): void {
  if (before === undefined && entry.role !== "user")
    report("first_not_user", "The first entry is not a user entry.");
  if (before?.role === entry.role) report("roles_not_alternating", `Two consecutive ${entry.role} entries.`);
}

function checkEnd(last: Entry | undefined, report: Report, options: ConversationRules): void {
  if (last === undefined) report("no_entries", "The conversation has no entries.");
  if (last?.role !== "assistant") return;
  if (!options.mayEndWithAssistant) report("last_not_user", "The last entry is not a user entry.");
  reportMissing(new Set(callIds(last)), report);
}

function reportMissing(ids: Iterable<string>, report: Report): void {
  for (const id of ids) report("missing_result", `The tool call ${id} has no result in the next user entry.`);
}

function checkAssistant(entry: AssistantEntry, report: Report): void {
  const seen = new Set<string>();
  entry.content.forEach((block, at) => {
    switch (block?.type) {
      case "text":
        if (isBlank(block.text)) report("empty_text", "The text is empty.", at);
        return;
      case "thinking":
        if (block.signature === "") report("unsigned_thinking", "The thinking has no signature.", at);
        return;
      case "redacted_thinking":
        if (block.data === "") report("unsigned_thinking", "The redacted thinking has no data.", at);
        return;
      case "tool_use":
        if (seen.has(block.id)) report("duplicate_call", `Two tool calls have the id ${block.id}.`, at);
        seen.add(block.id);
        return;
      case "opaque":
        return;
      default:
        report("foreign_block", `${nameOf(block)} is not allowed in an assistant entry.`, at);
    }
  });
  const last = entry.content.at(-1)?.type;
  if (last === "thinking" || last === "redacted_thinking")
    report("thinking_last", "The response ends with thinking.", entry.content.length - 1);
}

function checkUserBlocks(entry: UserEntry, report: Report): void {
  entry.content.forEach((block, at) => {
    switch (block?.type) {
      case "text":
        if (isBlank(block.text)) report("empty_text", "The text is empty.", at);
        return;
      case "image":
        return;
      case "tool_result":
        if (block.content.length === 0) report("empty_result", "The result has no blocks.", at);
        if (block.content.some((part) => part.type === "text" && isBlank(part.text)))
          report("empty_text", "A text of the result is empty.", at);
        return;
      default:
        report("foreign_block", `${nameOf(block)} is not allowed in a user entry.`, at);
    }
  });
}

function checkResults(entry: UserEntry, calls: readonly string[], report: Report): void {
  const asked = new Set(calls);
  const given = new Set<string>();
  let other = false;
  entry.content.forEach((block, at) => {
    if (block?.type !== "tool_result") {
      other = true;
      return;
    }
    const id = block.tool_use_id;
    if (other) report("results_not_first", `The result of ${id} is after other blocks.`, at);
    if (!asked.has(id)) report("orphan_result", `The tool call ${id} is not in the previous entry.`, at);
    else if (given.has(id)) report("duplicate_result", `The tool call ${id} has two results.`, at);
    else given.add(id);
  });
  reportMissing(
    [...asked].filter((id) => !given.has(id)),
    report,
  );
  const order = [...given];
  if ([...asked].filter((id) => given.has(id)).some((id, index) => order[index] !== id))
    report("results_out_of_order", "The results are not in the order of their tool calls.");
}

/** Name a block of an unknown type: conversations also come from files, where a block may be null. */
const nameOf = (block: unknown): string =>
  typeof block === "object" && block !== null && "type" in block
    ? `A block of type ${String(block.type)}`
    : "A value that is not a block";
