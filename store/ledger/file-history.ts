import type { FileHash, LineChange } from "../../machines/tool-call/file-write.ts";
import type { LedgerLine } from "./entry.ts";

/** A line of the ledger with its number. */
export interface NumberedWrite {
  /** From 1. */
  readonly number: number;
  readonly line: LedgerLine;
}

/** The origin of a line of a file. */
export type Origin =
  /** `number`: of the line in the ledger. */
  | ({ readonly kind: "write" } & NumberedWrite)
  /** The line is older than the first write of the file. */
  | { readonly kind: "older" }
  /** The file was changed in a worktree or copy by no recorded write. `line`: its merge, which names interrupted calls. */
  | ({ readonly kind: "unrecorded" } & NumberedWrite)
  /** The file had changed before this line of the ledger, and no line has that change: by an edit, or by an interrupted command. */
  | { readonly kind: "unknown"; readonly number: number }
  /** The ledger has no write of the file. */
  | { readonly kind: "none" };

/** A worktree: the tasks that wrote there, and the worktree that it is from. Undefined: the workspace of the ledger. */
interface Place {
  readonly tasks: ReadonlySet<string>;
  /** The merge that its files were taken by. */
  readonly merge: NumberedWrite;
  readonly around: Place | undefined;
}

/** A content of the file, which it had before the write of an index. */
interface Content {
  readonly hash: FileHash;
  readonly before: number;
  readonly place: Place | undefined;
  /** Whether a merge took it from a worktree. */
  readonly isMerged: boolean;
}

/** A write that led to a content, and the number of the line there. */
interface Source {
  readonly index: number;
  readonly place: Place | undefined;
  readonly line: number;
}

/**
 * The writes of one file in a ledger. Each leads from one content to another; a merge also from the content that the file had
 * in a worktree.
 */
export class FileHistory {
  /** Oldest first. A merge of two ledgers by git has the lines of two tasks in any order. */
  readonly #writes: readonly NumberedWrite[];
  readonly #worktrees: MergedWorktrees;

  /** @param ledger all lines of the ledger */
  constructor(ledger: readonly NumberedWrite[], path: string) {
    const ordered = ledger.toSorted((one, other) => one.line.at - other.line.at || one.number - other.number);
    this.#writes = ordered.filter(({ line }) => line.path === path);
    this.#worktrees = new MergedWorktrees(ordered);
  }

  /** The newest change of the file in the workspace itself. */
  get newest(): NumberedWrite | undefined {
    return this.#writes[this.#newestIndex];
  }

  get #newestIndex(): number {
    return this.#writes.findLastIndex((write) => this.#worktrees.isHome(write));
  }

  /** Follow a line of the newest content back, through the worktrees that it was merged from. */
  originOf(at: number): { readonly found: Origin; readonly merges: readonly NumberedWrite[] } {
    const merges: NumberedWrite[] = [];
    let line = at;
    let place: Place | undefined;
    let index = this.#newestIndex;
    for (;;) {
      const write = this.#writes[index];
      if (write === undefined) return { found: { kind: "none" }, merges };
      const step = this.#stepBack(index, line, place);
      if (step === undefined) return { found: { kind: "write", ...write }, merges };
      if (step.merge !== undefined) merges.push(step.merge);
      const source = this.#sourceOf(step.content, step.line);
      if ("found" in source) {
        const { number } = step.merge ?? write;
        return { found: source.found ?? { kind: "unknown", number }, merges };
      }
      ({ line, index, place } = source);
    }
  }

  /** The content that a write kept the line of, and the number of the line there. Undefined: the write is its origin. */
  #stepBack(index: number, at: number, place: Place | undefined) {
    const write = this.#writes[index];
    const kept = lineBefore(write?.line.lines, at);
    if (write !== undefined && kept !== undefined)
      return {
        content: { hash: write.line.before, before: index, place, isMerged: false },
        line: kept,
        merge: undefined,
      };
    const before = this.#mergeOf(index);
    const merge = this.#writes[before];
    const merged = merge?.line.merged;
    const taken = lineBefore(merged?.lines, at);
    if (merge === undefined || merged === undefined || taken === undefined) return undefined;
    const inside: Place = { tasks: new Set(merged.tasks), merge, around: place };
    return { content: { hash: merged.content, before, place: inside, isMerged: true }, line: taken, merge };
  }

  /** The index of the merge that a write is of: of itself, or of the call that merged. */
  #mergeOf(index: number): number {
    const line = this.#writes[index]?.line;
    if (line?.merged !== undefined) return index;
    if (line?.tool !== MERGE_TOOL) return -1;
    return this.#writes.findLastIndex(
      (other, at) =>
        at < index &&
        other.line.merged !== undefined &&
        other.line.before === line.before &&
        other.line.after === line.after,
    );
  }

  /**
   * The newest write of a content: in the worktree, in what it is from, or anywhere. `found`: no write led to the line;
   * undefined: its origin is not known.
   */
  #sourceOf(content: Content, at: number): Source | { readonly found: Origin | undefined } {
    const newest = (from: number, matches: (write: NumberedWrite) => boolean): number =>
      this.#writes.findLastIndex(
        (write, index) => index < from && write.line.after === hash && matches(write),
      );
    const { before, isMerged } = content;
    let { hash } = content;
    let line = at;
    let isFollowed = !isMerged;
    for (let { place } = content; place !== undefined; place = place.around) {
      const { tasks, merge } = place;
      const index = newest(before, (write) => tasks.has(write.line.task));
      if (index >= 0) return { index, place, line };
      const change = merge.line.merged?.unrecorded?.find(({ after }) => after === hash);
      if (change === undefined) continue;
      const kept = lineBefore(change.lines, line);
      if (kept === undefined) return { found: { kind: "unrecorded", ...merge } };
      [hash, line, isFollowed] = [change.before, kept, true];
    }
    const own = newest(before, (write) => this.#worktrees.isHome(write));
    const index = own >= 0 ? own : newest(before, () => true);
    if (index >= 0) return { index, place: undefined, line };
    return { found: isFollowed && this.#isFirst(hash, before) ? { kind: "older" } : undefined };
  }

  /** Whether a content that no write led to is what the first write found. */
  #isFirst(hash: FileHash, before: number): boolean {
    const [first] = this.#writes.slice(0, before);
    return first === undefined || first.line.before === hash;
  }
}

/** The tool whose call merges the files of a subtask: its merge is in the ledger before it. */
const MERGE_TOOL = "merge_subtask";

/** The worktrees and copies whose writes came into a ledger by merges. */
class MergedWorktrees {
  /** The tasks that wrote in worktrees. */
  readonly #tasks = new Set<string>();
  /** The tasks whose worktrees were merged into other worktrees, by the newest number of a merge that brought their lines. */
  readonly #nested = new Map<string, number>();

  constructor(ordered: readonly NumberedWrite[]) {
    for (const { line, number } of ordered) {
      if (line.merged === undefined) continue;
      this.#tasks.add(line.task);
      for (const task of line.merged.tasks) {
        this.#tasks.add(task);
        if (task !== line.task) this.#nested.set(task, Math.max(number, this.#nested.get(task) ?? 0));
      }
    }
  }

  /** Whether a write was made in the workspace of the ledger itself. */
  isHome({ line, number }: NumberedWrite): boolean {
    if (line.merged === undefined) return !this.#tasks.has(line.task);
    return number > (this.#nested.get(line.task) ?? 0);
  }
}

/** The number of a line before a change; undefined if the change wrote it. */
function lineBefore(changes: readonly LineChange[] | null | undefined, at: number): number | undefined {
  if (changes === null || changes === undefined) return undefined;
  let shift = 0;
  for (const { before, after } of changes) {
    if (at < after.start) break;
    if (at < after.start + after.count) return undefined;
    shift += before.count - after.count;
  }
  return at + shift;
}
