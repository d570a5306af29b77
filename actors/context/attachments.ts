import { textBlock } from "../../machines/conversation/blocks.ts";
import type { ImageBlock, TextBlock } from "../../machines/conversation/entry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ProblemsPort, RepositoryPort } from "../../ports/repository.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import { formatFile } from "../../tools/file-content.ts";
import { cutEnd } from "../../tools/text.ts";
import { unlessAborted } from "../protocol/unless-aborted.ts";
import { element, FILE_CONTENT, oneLine } from "./element.ts";
import { type Mention, type MentionSubject, parseMentions } from "./mention.ts";
import { MENTION_LIMITS, type MentionLimits } from "./mention-limits.ts";

/** Where mentions are looked up. Without a port, its mentions attach the note that there is none. */
export interface MentionSources {
  readonly workspace: Pick<Workspace, "root" | "read" | "list">;
  readonly repository?: RepositoryPort | undefined;
  readonly problems?: ProblemsPort | undefined;
  readonly limits?: Partial<MentionLimits> | undefined;
}

type Attachment = readonly (TextBlock | ImageBlock)[];

/**
 * The attachments of a request for the mentions in texts of the user, in their order, each once. Never rejects: a mention that
 * can't be attached gives a note with the reason. An unquoted path that does not exist is text, and gives nothing.
 */
export async function attachmentsOf(
  texts: readonly string[],
  sources: MentionSources,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Attachment> {
  const mentions = distinct(texts.flatMap(parseMentions));
  if (mentions.size === 0) return [];
  const limits = { ...MENTION_LIMITS, ...sources.limits };
  const timeout = new AbortController();
  const cancel = clock.after(limits.timeoutMs, () =>
    timeout.abort(new ToolError("FAILED", `There was no answer within ${limits.timeoutMs} ms.`)),
  );
  try {
    const reader = new MentionReader(sources, limits, AbortSignal.any([signal, timeout.signal]));
    return await readAll([...mentions], reader, limits);
  } finally {
    cancel();
  }
}

function distinct(mentions: readonly Mention[]): ReadonlyMap<string, MentionSubject> {
  const found = new Map<string, MentionSubject>();
  for (const mention of mentions) {
    const name = nameOf(mention);
    if (!found.has(name)) found.set(name, mention);
  }
  return found;
}

/** The mention as text. */
function nameOf(subject: MentionSubject): string {
  if (subject.kind === "changes") return "@git-changes";
  if (subject.kind === "problems") return "@problems";
  if (subject.kind === "commit") return `@${subject.hash}`;
  return subject.isQuoted ? `@"${subject.path}"` : `@${subject.path}`;
}

async function readAll(
  mentions: readonly (readonly [string, MentionSubject])[],
  reader: MentionReader,
  limits: MentionLimits,
): Promise<Attachment> {
  const attached: Attachment[] = [];
  for (const [index, [name, subject]] of mentions.entries()) {
    const limit =
      attached.length >= limits.mentions ? "mentions" : index >= limits.lookups ? "lookups" : undefined;
    if (limit !== undefined) {
      const reason = `a request has at most ${limits[limit]} (the limit ${limit})`;
      attached.push([note(`${name} and later mentions are not attached: ${reason}.`)]);
      break;
    }
    const blocks = await reader.read(name, subject);
    if (blocks.length > 0) attached.push(blocks);
  }
  return attached.flat();
}

/** Maximum bytes of the reason in a note. */
const REASON_BYTES = 1_000;

const note = (text: string): TextBlock => textBlock(`[automatic notice] ${oneLine(text)}`);

/** Reads the mentions of one request, one after another, within its limits. */
class MentionReader {
  readonly #sources: MentionSources;
  readonly #limits: MentionLimits;
  readonly #signal: AbortSignal;
  #textBytes: number;
  #imageBytes: number;

  constructor(sources: MentionSources, limits: MentionLimits, signal: AbortSignal) {
    this.#sources = sources;
    this.#limits = limits;
    this.#signal = signal;
    this.#textBytes = limits.totalTextBytes;
    this.#imageBytes = limits.totalImageBytes;
  }

  async read(name: string, subject: MentionSubject): Promise<Attachment> {
    try {
      if (this.#textBytes <= 0) throw this.#beyond("totalTextBytes", "of text");
      const blocks = await unlessAborted(this.#signal, () => this.#blocksOf(subject));
      for (const block of blocks) if (block.type === "text") this.#textBytes -= Buffer.byteLength(block.text);
      return blocks;
    } catch (error) {
      if (isAbsent(error) && "path" in subject && !subject.isQuoted) return [];
      return [note(`${name} is not attached: ${cutEnd(formatError(error), REASON_BYTES)}`)];
    }
  }

  async #blocksOf(subject: MentionSubject): Promise<Attachment> {
    const { repository = NO_REPOSITORY, problems = noProblems } = this.#sources;
    const maxBytes = Math.min(this.#limits.textBytes, this.#textBytes);
    const read = { maxBytes, signal: this.#signal };
    const text = (
      name: string,
      attributes: Readonly<Record<string, string>>,
      content: string,
    ): Attachment => [textBlock(element(name, attributes, cutEnd(content, maxBytes)))];
    switch (subject.kind) {
      case "changes":
        return text("git_changes", {}, await repository.changes(read));
      case "commit": {
        const { hash } = subject;
        return text("git_commit", { hash }, await repository.commit(hash, read));
      }
      case "problems":
        return text("problems", {}, await problems());
      case "folder": {
        const path = this.#inWorkspace(subject.path);
        return text("folder_content", { path }, await this.#list(path));
      }
      case "file":
        return this.#file(this.#inWorkspace(subject.path), maxBytes);
    }
  }

  async #file(path: string, textBytes: number): Promise<Attachment> {
    const bytes = await this.#sources.workspace.read(path);
    const { imageBytes } = this.#limits;
    const [text, image] = formatFile(path, bytes, { textBytes, imageBytes });
    const shown = text?.type === "text" ? [textBlock(element(FILE_CONTENT, { path }, text.text))] : [];
    if (image === undefined) return shown;
    if (bytes.length > this.#imageBytes) throw this.#beyond("totalImageBytes", "of images");
    this.#imageBytes -= bytes.length;
    return [...shown, image];
  }

  async #list(path: string): Promise<string> {
    const limit = this.#limits.folderNames;
    const { names, cut } = await this.#sources.workspace.list(path, { recursive: true, limit });
    if (names.length === 0) return "(empty)";
    const more = cut ? [`(the list was cut after ${names.length} names; list_files shows more)`] : [];
    return [...names.map(oneLine), ...more].join("\n");
  }

  /** `/src/a.ts` is relative to the workspace, unless it is the absolute path of a file in it. */
  #inWorkspace(path: string): string {
    const { root } = this.#sources.workspace;
    if (!path.startsWith("/") || path.startsWith(`${root}/`)) return path;
    return path.replace(/^\/+/, "") || ".";
  }

  #beyond(limit: "totalTextBytes" | "totalImageBytes", of: string): ToolError {
    const bytes = this.#limits[limit];
    return new ToolError(
      "TOO_LARGE",
      `The mentions of a request have at most ${bytes} bytes ${of} (the limit ${limit}).`,
    );
  }
}

const isAbsent = (error: unknown): boolean =>
  error instanceof ToolError && (error.code === "NOT_FOUND" || error.code === "NOT_A_FOLDER");

const noRepository = async (): Promise<string> => {
  throw new ToolError("FAILED", "No repository is connected.");
};
const NO_REPOSITORY: RepositoryPort = { changes: noRepository, commit: noRepository };

const noProblems: ProblemsPort = async () => {
  throw new ToolError("FAILED", "No source of problems is connected.");
};
