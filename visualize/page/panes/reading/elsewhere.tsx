import type { ReactNode } from "react";
import { grouped } from "../../model/format.ts";

export interface ElsewhereProps {
  readonly side: "earlier" | "later";
  /** How many lie there. */
  readonly left: number;
  /** What they are, in the plural. */
  readonly of: string;
  readonly onMove: (side: "earlier" | "later") => void;
}

/** How much of a list lies before or behind what is shown of it, and the way there. Nothing, where there is no more. */
export function Elsewhere({ side, left, of, onMove }: ElsewhereProps): ReactNode {
  if (left === 0) return null;
  return (
    <button type="button" className="reading-more" onClick={() => onMove(side)}>
      {side === "earlier" ? "↑" : "↓"} {grouped(left)} {side} {of}
    </button>
  );
}
