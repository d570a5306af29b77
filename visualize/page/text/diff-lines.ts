/** A line of a diff, with its line numbers before and after. */
export interface DiffLine {
  readonly kind: "added" | "removed" | "same" | "head";
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const SEARCH = /^<<<<<<< SEARCH/;
const DIVIDER = /^=======\s*$/;
const REPLACE = /^>>>>>>> REPLACE/;

/** Whether a text is a unified or a search/replace diff, also a partial one. */
export const isDiff = (text: string): boolean => /^(@@ -\d|<<<<<<< SEARCH|--- |diff )/m.test(text);

/** The lines of a unified diff or of search/replace blocks. Lines of other texts have no sign. */
export function diffLines(diff: string): readonly DiffLine[] {
  const lines = linesOf(diff);
  return lines.some((line) => SEARCH.test(line)) ? blockLines(lines) : unifiedLines(lines);
}

/** All lines of a new file. */
export const addedLines = (text: string): readonly DiffLine[] =>
  linesOf(text).map((line, index) => ({ kind: "added", text: line, after: index + 1 }));

function unifiedLines(lines: readonly string[]): readonly DiffLine[] {
  let before: number | undefined;
  let after: number | undefined;
  const next = (count: number | undefined) => (count === undefined ? undefined : count + 1);
  const numbered = (line: DiffLine): DiffLine => ({
    ...line,
    ...(line.kind !== "added" && before !== undefined && { before }),
    ...(line.kind !== "removed" && after !== undefined && { after }),
  });
  return lines.map((line) => {
    const hunk = HUNK.exec(line);
    if (hunk !== null || isFileHead(line, before)) {
      before = hunk === null ? before : Number(hunk[1]);
      after = hunk === null ? after : Number(hunk[2]);
      return { kind: "head", text: line };
    }
    const shown = numbered(signed(line));
    if (shown.kind !== "added") before = next(before);
    if (shown.kind !== "removed") after = next(after);
    return shown;
  });
}

/** `---` and `+++` name the files only before the first hunk. */
const isFileHead = (line: string, before: number | undefined): boolean =>
  before === undefined && /^(--- |\+\+\+ |diff |index )/.test(line);

function signed(line: string): DiffLine {
  if (line.startsWith("+")) return { kind: "added", text: line.slice(1) };
  if (line.startsWith("-")) return { kind: "removed", text: line.slice(1) };
  if (line.startsWith("\\")) return { kind: "head", text: line };
  return { kind: "same", text: line.startsWith(" ") ? line.slice(1) : line };
}

function blockLines(lines: readonly string[]): readonly DiffLine[] {
  let kind: DiffLine["kind"] = "same";
  return lines.map((line) => {
    if (SEARCH.test(line)) kind = "removed";
    else if (DIVIDER.test(line) && kind === "removed") kind = "added";
    else if (REPLACE.test(line)) kind = "same";
    else return /^(:start_line:|:end_line:|-------\s*$)/.test(line) ? head(line) : { kind, text: line };
    return head(line);
  });
}

const head = (text: string): DiffLine => ({ kind: "head", text });

const linesOf = (text: string): readonly string[] =>
  text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
