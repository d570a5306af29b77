import { useEffect, useState } from "react";

/** So long must a place have stood to be rested at, in milliseconds. */
const REST_MS = 150;

/** Whether one stays at this place: who goes through the trace is shown what is in sight, and the rest once they stop. */
export function useRest(place: number): boolean {
  const [rested, setRested] = useState(place);
  useEffect(() => {
    const timer = setTimeout(() => setRested(place), REST_MS);
    return () => clearTimeout(timer);
  }, [place]);
  return rested === place;
}

/** How many items of a list are shown while one goes through the trace. */
export const PASSING_SIZE = 8;
