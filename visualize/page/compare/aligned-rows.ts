import { diffArrays } from "diff";
import type { Step } from "./steps.ts";

/** A row of a comparison: a step of each task, or of one of them. */
export interface Row {
  /** `changed`: both have it, with another content. `only`: one of them has it. */
  readonly mark: "same" | "changed" | "only";
  readonly mine: Step | undefined;
  readonly other: Step | undefined;
}

/** Steps that follow each other, and are in both tasks or in one. */
interface Part {
  readonly count: number;
  readonly added?: boolean;
  readonly removed?: boolean;
}

/** The most steps of both tasks that may differ. Beyond, what follows the common beginning is not aligned. */
const EDITS_MAX = 1_000;

/**
 * The steps of two tasks in aligned rows. A step that both have is in one row, wherever it stands; so are a step and the
 * step of the same kind that replaces it.
 */
export function alignedRows(mine: readonly Step[], others: readonly Step[]): readonly Row[] {
  const common = commonLength(mine, others);
  const [left, right] = [mine.slice(common), others.slice(common)];
  const rows = mine.slice(0, common).map((step, position) => pair(step, others[position]));
  const parts: readonly Part[] = diffArrays(left.map(keyOf), right.map(keyOf), {
    maxEditLength: EDITS_MAX,
  }) ?? [
    { removed: true, count: left.length },
    { added: true, count: right.length },
  ];
  let [at, otherAt] = [0, 0];
  let removed: readonly Step[] = [];
  const add = (added: readonly Step[]): void => {
    for (const row of replaced(removed, added)) rows.push(row);
    removed = [];
  };
  for (const { count, added = false, removed: isRemoved = false } of parts) {
    if (isRemoved) {
      removed = left.slice(at, at + count);
      at += count;
    } else if (added) {
      add(right.slice(otherAt, otherAt + count));
      otherAt += count;
    } else {
      add([]);
      for (let offset = 0; offset < count; offset += 1)
        rows.push(pair(left[at + offset], right[otherAt + offset]));
      at += count;
      otherAt += count;
    }
  }
  add([]);
  return rows;
}

const keyOf = ({ key }: Step): string => key;

function commonLength(mine: readonly Step[], others: readonly Step[]): number {
  const end = mine.findIndex(({ key }, position) => others[position]?.key !== key);
  return end < 0 ? mine.length : end;
}

/** The rows of steps and of the steps that replace them: both are in one row if they are of the same kind. */
function replaced(removed: readonly Step[], added: readonly Step[]): readonly Row[] {
  const length = Math.max(removed.length, added.length);
  return Array.from({ length }, (_, position) => [removed[position], added[position]] as const).flatMap(
    ([mine, other]) =>
      mine === undefined || other === undefined || mine.kind === other.kind
        ? [pair(mine, other)]
        : [pair(mine, undefined), pair(undefined, other)],
  );
}

const pair = (mine: Step | undefined, other: Step | undefined): Row => ({
  mark: mine === undefined || other === undefined ? "only" : isSame(mine, other) ? "same" : "changed",
  mine,
  other,
});

const isSame = (mine: Step, other: Step): boolean =>
  mine.key === other.key && mine.title === other.title && mine.text === other.text;

/** A shown row, or the number of same rows that are folded into one. */
export type ShownRow =
  | { readonly row: Row; readonly position: number }
  | { readonly folded: number; readonly position: number };

/** The fewest same rows that are folded. */
const FOLD_MIN = 4;

/** The rows with runs of same ones folded, except those whose first position is in `opened`. */
export function foldedRows(rows: readonly Row[], opened: ReadonlySet<number>): readonly ShownRow[] {
  const shown: ShownRow[] = [];
  for (let position = 0; position < rows.length; ) {
    const end = endOfSame(rows, position);
    const folded = end - position;
    if (folded >= FOLD_MIN && !opened.has(position)) {
      shown.push({ folded, position });
      position = end;
      continue;
    }
    const next = Math.max(end, position + 1);
    for (const row of rows.slice(position, next)) {
      shown.push({ row, position });
      position += 1;
    }
  }
  return shown;
}

function endOfSame(rows: readonly Row[], from: number): number {
  let end = from;
  while (rows[end]?.mark === "same") end += 1;
  return end;
}
