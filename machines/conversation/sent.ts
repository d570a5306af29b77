import { textBlock } from "./blocks.ts";
import type { Conversation } from "./conversation.ts";
import type { AssistantBlock, AssistantEntry, Entry, OpaqueBlock, ResponseModel } from "./entry.ts";
import { memoize } from "./memoize.ts";
import { leftOutResponse } from "./notices.ts";

/**
 * The conversation as `model` gets it. Left out are thinking, opaque blocks and additional fields of another model's
 * responses, and server tools with only a use or only a result: endpoints reject these. The order and the
 * pairs of tool calls stay (L6).
 */
export function sentConversation(conversation: Conversation, model: ResponseModel | undefined): Conversation {
  let sent = conversation;
  for (const { position, entry, kept } of selections(conversation, model))
    if (kept !== entry) sent = sent.set(position, kept);
  return sent;
}

/** Number of blocks that {@link sentConversation} leaves out. */
export function leftOutOf(conversation: Conversation, model: ResponseModel | undefined): number {
  let count = 0;
  for (const { leftOut } of selections(conversation, model)) count += leftOut;
  return count;
}

/** An entry as it is sent, and how many of its blocks are left out. */
interface Selection {
  readonly kept: AssistantEntry;
  readonly leftOut: number;
}

/** The responses around one, unless they are of another model. */
interface Neighbors {
  readonly previous: Entry | undefined;
  readonly next: Entry | undefined;
  /** Whether results of server tools may still come: a paused turn goes on, or tools were called too. */
  readonly isAwaited: boolean;
}

/** The responses that may lose a part. */
function* selections(conversation: Conversation, model: ResponseModel | undefined) {
  let start = 0;
  for (const entries of conversation.leaves()) {
    for (const { at, entry } of boundIn(entries)) {
      const position = start + at;
      // Roles alternate.
      const next = conversation.at(position + 2);
      const previous = position < 2 ? undefined : conversation.at(position - 2);
      const isLast = position === conversation.length - 1;
      const neighbors = {
        previous: isOfOtherModel(previous, model) ? undefined : previous,
        next: isOfOtherModel(next, model) ? undefined : next,
        isAwaited: next === undefined && (isLast || hasCalls(entry)),
      };
      yield { position, entry, ...select(entry, neighbors, model) };
    }
    start += entries.length;
  }
}

/** The responses with something that only their model understands, and their positions. */
const boundIn = memoize((entries: readonly Entry[]) =>
  entries.flatMap((entry, at) =>
    entry.role === "assistant" && entry.content.some(isBound) ? [{ at, entry }] : [],
  ),
);

function isBound(block: AssistantBlock): boolean {
  return block.type === "text" || block.type === "tool_use"
    ? Object.keys(block).length > Object.keys(portable(block)).length
    : true;
}

/** The fields of a block that any model understands. */
function portable(block: Extract<AssistantBlock, { type: "text" | "tool_use" }>): AssistantBlock {
  if (block.type === "text") return textBlock(block.text);
  const { type, id, name, input } = block;
  return { type, id, name, input };
}

/** The last selection of each entry. Equal selections are the same object, so that an entry is formatted once. */
const SELECTED = new WeakMap<AssistantEntry, Neighbors & Selection & { readonly isForeign: boolean }>();

function select(entry: AssistantEntry, neighbors: Neighbors, model: ResponseModel | undefined): Selection {
  const isForeign = isOfOtherModel(entry, model);
  const known = SELECTED.get(entry);
  if (
    known !== undefined &&
    known.isForeign === isForeign &&
    known.previous === neighbors.previous &&
    known.next === neighbors.next &&
    known.isAwaited === neighbors.isAwaited
  )
    return known;
  const selected = { ...neighbors, isForeign, ...selectionOf(entry, neighbors, isForeign) };
  SELECTED.set(entry, selected);
  return selected;
}

/** Whether the entry is a response of another model. One without a model is of any. */
export function isOfOtherModel(entry: Entry | undefined, model: ResponseModel | undefined): boolean {
  const own = entry?.role === "assistant" ? entry.model : undefined;
  if (own === undefined || model === undefined) return false;
  return own.provider !== model.provider || own.id !== model.id;
}

function selectionOf(entry: AssistantEntry, neighbors: Neighbors, isForeign: boolean): Selection {
  const paired = pairedIn(entry, neighbors);
  const blocks = isForeign
    ? entry.content.flatMap((block) =>
        block.type === "text" || block.type === "tool_use" ? [portable(block)] : [],
      )
    : entry.content.filter((block) => block.type !== "opaque" || !isServerTool(block) || paired.has(block));
  const leftOut = entry.content.length - blocks.length;
  if (leftOut === 0 && !isForeign) return { kept: entry, leftOut };
  // Thinking precedes what it led to.
  while (blocks.at(-1)?.type.endsWith("thinking")) blocks.pop();
  const content = blocks.length === 0 ? [textBlock(leftOutResponse())] : blocks;
  return { kept: { ...entry, content }, leftOut };
}

/** The uses of server tools that have a result, and these results. A use at the end of the conversation awaits its result. */
function pairedIn(entry: AssistantEntry, { previous, next, isAwaited }: Neighbors): ReadonlySet<OpaqueBlock> {
  const paired = new Set<OpaqueBlock>();
  const open = openUses(entry, hasCalls(previous) ? openUses(previous, new Map()) : new Map(), paired);
  const results = new Set(opaqueIn(hasCalls(entry) ? next : undefined).map(idOfResult));
  for (const [id, use] of open) if (isAwaited || results.has(id)) paired.add(use);
  return paired;
}

type Uses = ReadonlyMap<string, OpaqueBlock>;

/** The uses in a response that have no result in it. Adds the others to `paired`, with their results. */
function openUses(entry: Entry | undefined, earlier: Uses, paired?: Set<OpaqueBlock>): Uses {
  const known = new Map(earlier);
  const open = new Map<string, OpaqueBlock>();
  for (const block of opaqueIn(entry)) {
    const use = idOfUse(block);
    const result = idOfResult(block);
    if (use !== undefined && !known.has(use)) {
      known.set(use, block);
      open.set(use, block);
    }
    if (result === undefined) continue;
    const used = known.get(result);
    if (used === undefined) continue;
    paired?.add(used).add(block);
    known.delete(result);
    open.delete(result);
  }
  return open;
}

const opaqueIn = (entry: Entry | undefined): readonly OpaqueBlock[] =>
  entry?.content.filter((block) => block.type === "opaque") ?? [];

/** The result of a server tool may follow in the next response if this one also calls tools. */
const hasCalls = (entry: Entry | undefined): boolean =>
  entry?.content.some(({ type }) => type === "tool_use") === true;

const isServerTool = (block: OpaqueBlock): boolean =>
  idOfUse(block) !== undefined || idOfResult(block) !== undefined;

/** The id of a server tool's use, such as `server_tool_use`. */
const idOfUse = ({ block: { type, id } }: OpaqueBlock): string | undefined =>
  type.endsWith("_use") && typeof id === "string" ? id : undefined;

/** The id of the use that a server tool's result names. */
const idOfResult = ({ block: { type, tool_use_id: id } }: OpaqueBlock): string | undefined =>
  type.endsWith("_result") && typeof id === "string" ? id : undefined;
