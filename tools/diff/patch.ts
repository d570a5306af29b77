import { ToolError } from "../error.ts";

/** A line of a hunk: of the file, removed, or added. */
export interface HunkLine {
  readonly kind: "context" | "removed" | "added";
  readonly text: string;
}

/** A change at one place of a file. */
export interface Hunk {
  /** Lines of the file before the hunk, in order, such as the heads of a class and a method. */
  readonly sections: readonly string[];
  readonly lines: readonly HunkLine[];
  /** Whether its lines are the last of the file. */
  readonly isAtEnd: boolean;
}

/** The change of a patch to one file. */
export type FilePatch =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  | { readonly kind: "delete"; readonly path: string }
  | {
      readonly kind: "update";
      readonly path: string;
      /** The new path. */
      readonly movesTo?: string;
      readonly hunks: readonly Hunk[];
    };

/** Maximum number of files of a patch. */
const FILES_MAX = 100;

const HEADER = /^\*\*\* (Add|Update|Delete) File: (.*\S)\s*$/;
const MOVE = /^\*\*\* Move to: (.*\S)\s*$/;
const END_OF_FILE = /^\*\*\* End of File\s*$/;
const SECTION = /^@@(?: -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)?(.*)$/;
const KINDS: Readonly<Record<string, HunkLine["kind"]>> = { " ": "context", "-": "removed", "+": "added" };

const FORMAT =
  "A patch begins with *** Begin Patch and ends with *** End Patch. Between them, for each file: *** Add File: PATH and its lines, each after a +; or *** Delete File: PATH; or *** Update File: PATH, optionally *** Move to: PATH, and hunks. A hunk begins with @@, optionally a line of the file above it after that, and has lines after a space (as they are), - (removed) or + (added).";

/** The paths that a patch names, also one that is not valid or not complete. Each once. */
export function pathsInPatch(patch: string): readonly string[] {
  const named = patch.split(/\r?\n/).flatMap((line) => HEADER.exec(line)?.[2] ?? MOVE.exec(line)?.[1] ?? []);
  return [...new Set(named)];
}

/**
 * Parse a patch of several files.
 *
 * @throws ToolError `DIFF_INVALID`, with the line number in the patch; `TOO_LARGE` for too many files
 */
export function parsePatch(patch: string): readonly FilePatch[] {
  const reader = new PatchReader(patch.split(/\r?\n/));
  reader.skipBlank();
  reader.expect("*** Begin Patch");
  const files: FilePatch[] = [];
  for (;;) {
    reader.skipBlank();
    if (reader.current?.trimEnd() === "*** End Patch") break;
    if (files.length >= FILES_MAX)
      throw new ToolError("TOO_LARGE", `The patch has more than ${FILES_MAX} files. Send several patches.`);
    files.push(parseFile(reader));
  }
  reader.expect("*** End Patch");
  reader.skipBlank();
  if (reader.current !== undefined) reader.reject("the end of the patch");
  if (files.length === 0) throw new ToolError("DIFF_INVALID", `The patch has no file. ${FORMAT}`);
  return files;
}

class PatchReader {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** Undefined at the end. */
  get current(): string | undefined {
    return this.#lines[this.#at];
  }

  next(): void {
    this.#at += 1;
  }

  skipBlank(): void {
    while (this.current?.trim() === "") this.next();
  }

  expect(line: string): void {
    if (this.current?.trimEnd() !== line) this.reject(line);
    this.next();
  }

  reject(expected: string): never {
    const received = this.current === undefined ? "its end" : `'${this.current.slice(0, 80)}'`;
    throw new ToolError(
      "DIFF_INVALID",
      `Line ${this.#at + 1} of the patch: expected ${expected}, received ${received}. ${FORMAT}`,
    );
  }
}

function parseFile(reader: PatchReader): FilePatch {
  const [, kind, path] = HEADER.exec(reader.current ?? "") ?? [];
  if (path === undefined)
    return reader.reject("*** Add File:, *** Update File:, *** Delete File: or *** End Patch");
  reader.next();
  if (kind === "Delete") return { kind: "delete", path };
  return kind === "Add" ? { kind: "add", path, text: parseAdded(reader) } : parseUpdate(reader, path);
}

function parseAdded(reader: PatchReader): string {
  const lines: string[] = [];
  for (; reader.current?.startsWith("+"); reader.next()) lines.push(`${reader.current.slice(1)}\n`);
  reader.skipBlank();
  if (!reader.current?.startsWith("*** ")) reader.reject("a line that begins with +, or the next file");
  return lines.join("");
}

function parseUpdate(reader: PatchReader, path: string): FilePatch {
  const [, movesTo] = MOVE.exec(reader.current ?? "") ?? [];
  if (movesTo !== undefined) reader.next();
  const hunks: Hunk[] = [];
  reader.skipBlank();
  while (reader.current !== undefined && !reader.current.startsWith("*** ")) hunks.push(parseHunk(reader));
  if (hunks.length === 0 && movesTo === undefined) reader.reject(`a hunk of '${path}'`);
  return { kind: "update", path, ...(movesTo !== undefined && movesTo !== path && { movesTo }), hunks };
}

function parseHunk(reader: PatchReader): Hunk {
  const sections = parseSections(reader);
  const lines = parseHunkLines(reader);
  const isAtEnd = END_OF_FILE.test(reader.current ?? "");
  if (isAtEnd) {
    reader.next();
    reader.skipBlank();
  }
  return { sections, lines, isAtEnd };
}

function parseSections(reader: PatchReader): readonly string[] {
  const sections: string[] = [];
  for (;;) {
    const [, section] = SECTION.exec(reader.current ?? "") ?? [];
    if (section === undefined) return sections;
    if (section.trim() !== "") sections.push(section.trim());
    reader.next();
  }
}

function parseHunkLines(reader: PatchReader): readonly HunkLine[] {
  const lines: HunkLine[] = [];
  /** Lines at the end that may only separate the hunk from what is next. */
  let blank = 0;
  for (; reader.current !== undefined && !/^(\*\*\* |@@)/.test(reader.current); reader.next()) {
    const kind = reader.current === "" ? "context" : KINDS[reader.current.charAt(0)];
    if (kind === undefined) return reader.reject("a line that begins with a space, - or +");
    blank = reader.current === "" ? blank + 1 : 0;
    lines.push({ kind, text: reader.current.slice(1) });
  }
  lines.length -= blank;
  return lines.length === 0 ? reader.reject("the lines of a hunk") : lines;
}
