import type { OutlineRow } from "../../model/outline.ts";

/** The effect of a key in a tree. */
export type OutlineMove =
  | { readonly type: "choose"; readonly to: number }
  | { readonly type: "toggle"; readonly key: string }
  | { readonly type: "open" };

/** The rows that a key moves by. */
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 };

/**
 * The effect of a key at a row: arrows move, left folds a row or leads to its parent, right unfolds it or leads to its
 * first child. Undefined for a key of another meaning.
 */
export function moveOf(key: string, rows: readonly OutlineRow[], active: number): OutlineMove | undefined {
  const last = rows.length - 1;
  const step = STEPS[key];
  if (step !== undefined) return { type: "choose", to: Math.min(last, Math.max(0, active + step)) };
  const row = rows[active];
  switch (key) {
    case "Home":
      return { type: "choose", to: 0 };
    case "End":
      return { type: "choose", to: last };
    case "Enter":
    case " ":
      return { type: "open" };
    case "ArrowLeft":
      if (row?.isUnfolded === true) return { type: "toggle", key: row.key };
      return { type: "choose", to: parentOf(rows, active) };
    case "ArrowRight":
      if (row?.isUnfolded === false) return { type: "toggle", key: row.key };
      return { type: "choose", to: row?.isUnfolded === true ? active + 1 : active };
    default:
      return undefined;
  }
}

/** The row above a row's children; the row itself at the top. */
function parentOf(rows: readonly OutlineRow[], active: number): number {
  const level = rows[active]?.level ?? 1;
  if (level === 1) return active;
  return rows.slice(0, active).findLastIndex((row) => row.level < level);
}
