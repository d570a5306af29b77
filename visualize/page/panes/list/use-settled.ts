import { useEffect, useState } from "react";

/** The time in which the current event must not change, in milliseconds. */
const SETTLE_MS = 150;

/** The number of list items that are shown while the current event changes. */
export const MOVING_SIZE = 8;

/** Whether the current event has not just changed: the full lists are shown once it settles. */
export function useSettled(place: number): boolean {
  const [settled, setSettled] = useState(place);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(place), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [place]);
  return settled === place;
}
