import { useEffect, useState } from "react";

/** The time in which the current event must not change, in milliseconds. */
const SETTLE_MS = 150;

/** The number of list items that are shown while the current event changes. */
export const MOVING_SIZE = 8;

/** Whether the current event has not just changed: the full lists are shown once it settles. */
export function useSettled(at: number): boolean {
  const [settled, setSettled] = useState(at);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(at), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [at]);
  return settled === at;
}

/** The center of a list: `focus` until the user pages, and again when the current event changes. */
export function useCenter(at: number, focus: number): readonly [number, (center: number) => void] {
  const [chosen, choose] = useState<{ readonly at: number; readonly center: number }>();
  return [chosen?.at === at ? chosen.center : focus, (center) => choose({ at, center })];
}

export type Side = "earlier" | "later";

/**
 * The shown items of a long list, at most `size`: from `from` up to, and without, `to`. They are centered on `focus` as
 * far as possible, until the user moves to the items before or after them.
 */
export function useWindow(length: number, focus: number, size: number, at: number) {
  const [center, setCenter] = useCenter(at, focus);
  const half = Math.floor(size / 2);
  const from = Math.min(Math.max(0, length - size), Math.max(0, center - half));
  // Half of the items stay, as a point of reference.
  const move = (side: Side): void => setCenter(side === "later" ? from + 2 * half : from);
  return { from, to: Math.min(length, from + size), move };
}
