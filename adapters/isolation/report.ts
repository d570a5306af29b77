import type { SubtaskFile } from "../../ports/subtask-files.ts";
import { changeOf } from "../../tools/diff/unified.ts";
import { textPart } from "../../tools/text.ts";
import { decodeText } from "../../tools/text-encoding.ts";
import type { FileChange, FileState } from "./file-state.ts";
import type { IsolationLimits } from "./limits.ts";

type Limits = Pick<IsolationLimits, "maxReportChars" | "maxDiffBytes">;

/** Characters of the list of files, before the diff. */
const LIST_SHARE = 0.5;

export const changedFile = ({ path, before, after }: FileChange): SubtaskFile => ({
  path,
  change: before === null ? "added" : after === null ? "deleted" : "modified",
});

/** A line for each file, then a unified diff. Both are cut with a mark at their limits. */
export async function formatChanges(changes: readonly FileChange[], limits: Limits): Promise<string> {
  const lines: string[] = [];
  const diffs: string[] = [];
  let size = 0;
  let listed = 0;
  const renames = await exactRenames(changes, limits);
  for (const change of changes) {
    const { line, diff } = await formatChange(change, renames, limits, size < limits.maxReportChars);
    if (listed <= limits.maxReportChars * LIST_SHARE) lines.push(line);
    listed += line.length + 1;
    if (diff !== undefined) diffs.push(diff);
    size += diff?.length ?? 0;
  }
  const more = changes.length - lines.length;
  if (more > 0) lines.push(`[... ${more} more files]`);
  const list = lines.join("\n");
  return [
    list,
    bounded(diffs.join("\n"), limits.maxReportChars - Math.min(list.length, limits.maxReportChars)),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

async function formatChange(
  change: FileChange,
  renames: ReadonlyMap<string, string>,
  { maxDiffBytes }: Limits,
  isShown: boolean,
): Promise<{ readonly line: string; readonly diff?: string }> {
  const { path, before, after } = change;
  const from = renames.get(path);
  const what = from === undefined ? changedFile(change).change : `renamed from ${from}`;
  if (!isShown || from !== undefined) return { line: `${what} ${path}` };
  const [old, now] = [await textOf(before, maxDiffBytes), await textOf(after, maxDiffBytes)];
  if (old === undefined || now === undefined) return { line: `${what} ${path} (${kindOf(change)})` };
  const { diff, stats } = changeOf(path, old, now);
  const mode = before !== null && after !== null && before.isExecutable !== after.isExecutable;
  const line = `${what} ${path} (+${stats.added} -${stats.removed}${mode ? ", another mode" : ""})`;
  return diff === "" ? { line } : { line, diff: `--- ${path}\n${diff}` };
}

function kindOf({ before, after }: FileChange): string {
  const kinds = [before?.kind, after?.kind];
  if (kinds.includes("link")) return "symlink";
  return kinds.includes("other") ? "submodule or other" : "binary or large";
}

/** Empty without a file; undefined if it is no text, or too large. */
async function textOf(state: FileState, maxBytes: number): Promise<string | undefined> {
  if (state === null) return "";
  if (state.kind !== "file") return undefined;
  const bytes = await state.read();
  return bytes.length > maxBytes ? undefined : decodeText(bytes);
}

/** Files that were deleted and added with the same bytes: the old path by the new one. */
async function exactRenames(
  changes: readonly FileChange[],
  { maxDiffBytes }: Limits,
): Promise<ReadonlyMap<string, string>> {
  const deleted = changes.filter(({ before, after }) => before?.kind === "file" && after === null);
  const added = changes.filter(({ before, after }) => before === null && after?.kind === "file");
  const renames = new Map<string, string>();
  if (deleted.length === 0 || added.length === 0) return renames;
  const old = new Map<string, string>();
  for (const { path, before } of deleted) {
    const bytes = await before?.read();
    if (bytes !== undefined && bytes.length > 0 && bytes.length <= maxDiffBytes)
      old.set(Buffer.from(bytes).toString("latin1"), path);
  }
  for (const { path, after } of added) {
    const from = old.get(Buffer.from((await after?.read()) ?? []).toString("latin1"));
    if (from !== undefined) renames.set(path, from);
  }
  return renames;
}

function bounded(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const { text: part, end } = textPart(text, 0, maxChars);
  return `${part}\n[... ${text.length - end} characters cut]`;
}
