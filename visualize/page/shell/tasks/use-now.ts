import { useEffect, useState } from "react";

const TICK_MS = 1_000;

/** The time in ms since 1970, renewed each second: the ages in the list grow. `start` is the first one. */
export function useNow(start: number): number {
  const [now, setNow] = useState(start);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
