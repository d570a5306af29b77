import { useEffect } from "react";
import type { TraceIndex } from "../model/trace-index.ts";

/** How fast the recorded time goes by. */
export const SPEEDS = [0.5, 1, 2, 4, 8] as const;
export type Speed = (typeof SPEEDS)[number];

/** However far two events lie apart, one waits no longer and no shorter than this (milliseconds). */
const LONGEST = 1_200;
const SHORTEST = 60;

/** Goes from event to event in the rhythm in which they happened. */
export function usePlaying(
  isPlaying: boolean,
  speed: Speed,
  { index, at, end }: { readonly index: TraceIndex | undefined; readonly at: number; readonly end: number },
  onGo: (seq: number) => void,
  onEnd: () => void,
): void {
  useEffect(() => {
    if (!isPlaying || index === undefined) return;
    if (at >= end) {
      onEnd();
      return;
    }
    const apart = (index.times[at + 1] ?? 0) - (index.times[at] ?? 0);
    const timer = setTimeout(() => onGo(at + 1), Math.min(LONGEST, Math.max(SHORTEST, apart)) / speed);
    return () => clearTimeout(timer);
  }, [isPlaying, speed, index, at, end, onGo, onEnd]);
}
