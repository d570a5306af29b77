import type { ReactNode } from "react";
import { grouped } from "../../model/format.ts";

export interface MoreItemsProps {
  readonly side: "earlier" | "later";
  /** How many there are. */
  readonly left: number;
  /** Their noun, in the plural. */
  readonly of: string;
  readonly onMove: (side: "earlier" | "later") => void;
}

/** A button with the number of items before or after the shown ones; nothing if there are none. */
export function MoreItems({ side, left, of, onMove }: MoreItemsProps): ReactNode {
  if (left === 0) return null;
  return (
    <button type="button" className="list-more" onClick={() => onMove(side)}>
      {side === "earlier" ? "↑" : "↓"} {grouped(left)} {side} {of}
    </button>
  );
}
