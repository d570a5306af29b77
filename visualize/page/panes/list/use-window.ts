import { useState } from "react";

/** The shown part of a list: from `from` up to, and without, `to`. */
export interface ListWindow {
  readonly from: number;
  readonly to: number;
}

/** At most `size` items of a list of `length`, centered on `focus` as far as possible. */
function windowAround(length: number, focus: number, size: number): ListWindow {
  const last = Math.max(0, length - size);
  const from = Math.min(last, Math.max(0, focus - Math.floor(size / 2)));
  return { from, to: Math.min(length, from + size) };
}

/** The center of a list: `focus` until the user pages, and again when `place` changes. */
export function useCenter(place: number, focus: number): readonly [number, (center: number) => void] {
  const [chosen, choose] = useState<{ readonly place: number; readonly center: number }>();
  return [chosen?.place === place ? chosen.center : focus, (center) => choose({ place, center })];
}

export interface MovableWindow extends ListWindow {
  /** Show the part before or after. */
  readonly move: (by: "earlier" | "later") => void;
}

/** The shown part of a long list, of at most `size` items, around `focus` until the user pages. */
export function useWindow(length: number, focus: number, size: number, place: number): MovableWindow {
  const [center, setCenter] = useCenter(place, focus);
  const shown = windowAround(length, center, size);
  const half = Math.floor(size / 2);
  // Half of the items stay, as a point of reference.
  return { ...shown, move: (by) => setCenter(by === "later" ? shown.from + 2 * half : shown.from) };
}
