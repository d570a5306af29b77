import { type Span, spanAround } from "./span.ts";
import { useLook } from "./use-look.ts";

export interface ShownSpan extends Span {
  /** Shows the part before, or the part after. */
  readonly move: (by: "earlier" | "later") => void;
}

/**
 * The part of a long list that is shown, so that no length makes more than `size` rows. It stands around `focus` until
 * a person looks elsewhere, and does so again when `place` changes.
 */
export function useSpan(length: number, focus: number, size: number, place: number): ShownSpan {
  const [middle, look] = useLook(place, focus);
  const span = spanAround(length, middle, size);
  const half = Math.floor(size / 2);
  // Half of what is shown stays, so that the eye finds its way.
  return { ...span, move: (by) => look(by === "later" ? span.from + 2 * half : span.from) };
}
