import { textBlock } from "./blocks.ts";
import type { Conversation } from "./conversation.ts";
import type { Entry, ImageBlock, ToolResultBlock, ToolUseBlock, UserEntry } from "./entry.ts";
import { artifactStub } from "./notices.ts";

/** Name of the tool that reads an artifact. */
export const READ_ARTIFACT = "read_artifact";

/** The limits that decide which tool results are sent as a stub. */
export interface ArtifactLimits {
  /** Characters that an old tool result may have; 0: any number. */
  readonly artifactChars: number;
  /** Newest responses whose results are sent whole. The results of the last response always are. */
  readonly artifactTurns: number;
}

/** A tool result that the model can read again, by the id of its call. */
export interface Artifact {
  readonly text: string;
  readonly images: readonly ImageBlock[];
}

/**
 * The conversation with a stub in place of each long, old tool result. The stub names the artifact and the tool that reads
 * it. Ids and order stay (L6).
 */
export function withStubs(conversation: Conversation, limits: ArtifactLimits): Conversation {
  const { artifactChars } = limits;
  const end = artifactChars === 0 ? 0 : wholeFrom(conversation, limits);
  if (end === 0) return conversation;
  return conversation.mapLeaves((entries, start) => {
    if (start >= end) return entries;
    const previous = start === 0 ? undefined : conversation.at(start - 1);
    return stubbedLeaf(entries, previous, end - start, artifactChars);
  });
}

/** The position of the first entry that is sent whole: everything from the oldest of the newest responses on. */
export function wholeFrom(conversation: Conversation, { artifactTurns }: ArtifactLimits): number {
  let turns = 0;
  for (let position = conversation.length - 1; position >= 0; position -= 1) {
    if (conversation.at(position)?.role === "assistant") turns += 1;
    if (turns >= artifactTurns) return position;
  }
  return 0;
}

/** The newest result of the call with this id. Undefined: the conversation has none, or no longer has it. */
export function artifactIn(conversation: Conversation, id: string): Artifact | undefined {
  for (let position = conversation.length - 1; position >= 0; position -= 1) {
    const entry = conversation.at(position);
    for (const block of entry?.role === "user" ? entry.content : [])
      if (block.type === "tool_result" && block.tool_use_id === id) return artifactOf(block);
  }
  return undefined;
}

function artifactOf({ content }: ToolResultBlock): Artifact {
  return {
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    images: content.filter((block) => block.type === "image"),
  };
}

/** The stubs of an object, with the values that they depend on besides the object. */
interface Stubs<T> {
  readonly previous: Entry | undefined;
  readonly chars: number;
  readonly stubbed: T;
}

/** The last stubs of each. Equal ones are the same object, so that an entry is formatted once. */
const LEAVES = new WeakMap<readonly Entry[], Stubs<readonly Entry[]>>();
const ENTRIES = new WeakMap<UserEntry, Stubs<UserEntry>>();

function lastOrNew<K extends object, T>(
  known: WeakMap<K, Stubs<T>>,
  key: K,
  { previous, chars }: Omit<Stubs<T>, "stubbed">,
  create: () => T,
): T {
  const last = known.get(key);
  if (last !== undefined && last.previous === previous && last.chars === chars) return last.stubbed;
  const stubbed = create();
  known.set(key, { previous, chars, stubbed });
  return stubbed;
}

/** The entries with stubs in the first `count` of them. */
function stubbedLeaf(
  entries: readonly Entry[],
  previous: Entry | undefined,
  count: number,
  chars: number,
): readonly Entry[] {
  const create = (): readonly Entry[] => {
    const stubbed = entries.map((entry, at) =>
      at < count ? stubbedEntry(entry, at === 0 ? previous : entries[at - 1], chars) : entry,
    );
    return stubbed.every((entry, at) => entry === entries[at]) ? entries : stubbed;
  };
  // A leaf in which only some results are old changes with each turn.
  return count < entries.length ? create() : lastOrNew(LEAVES, entries, { previous, chars }, create);
}

function stubbedEntry(entry: Entry, previous: Entry | undefined, chars: number): Entry {
  if (entry.role !== "user") return entry;
  return lastOrNew(ENTRIES, entry, { previous, chars }, () => {
    const content = entry.content.map((block) =>
      block.type === "tool_result" ? stubbedResult(block, callOf(block, previous), chars) : block,
    );
    return content.every((block, at) => block === entry.content[at]) ? entry : { ...entry, content };
  });
}

const callOf = (
  { tool_use_id: id }: ToolResultBlock,
  previous: Entry | undefined,
): ToolUseBlock | undefined =>
  previous?.role === "assistant"
    ? previous.content.find((block): block is ToolUseBlock => block.type === "tool_use" && block.id === id)
    : undefined;

function stubbedResult(
  block: ToolResultBlock,
  call: ToolUseBlock | undefined,
  chars: number,
): ToolResultBlock {
  const { text, images } = artifactOf(block);
  if (text.length <= chars) return block;
  // What read_artifact returned is a part of another artifact.
  const original = call?.name === READ_ARTIFACT ? call.input.id : undefined;
  const id = typeof original === "string" ? original : block.tool_use_id;
  const stub = artifactStub({ name: call?.name ?? "a tool", id, text, images: images.length });
  return stub.length < text.length ? { ...block, content: [textBlock(stub)] } : block;
}
