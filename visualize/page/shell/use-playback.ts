import { useEffect } from "react";
import type { TraceIndex } from "../model/trace-index.ts";

/** Playback speeds. */
export const SPEEDS = [0.5, 1, 2, 4, 8] as const;
export type Speed = (typeof SPEEDS)[number];

/** The longest and shortest delay between two events, in milliseconds. */
const DELAY_MAX_MS = 1_200;
const DELAY_MIN_MS = 60;

/** Play the events with the delays between them. */
export function usePlayback(
  isPlaying: boolean,
  speed: Speed,
  { index, at, end }: { readonly index: TraceIndex | undefined; readonly at: number; readonly end: number },
  onGo: (seq: number) => void,
  onEnd: () => void,
): void {
  const isLoaded = index !== undefined;
  const isAtEnd = at >= end;
  // A growing trace has a new index with each update, and the delay stays the same.
  const apart = (index?.times[at + 1] ?? 0) - (index?.times[at] ?? 0);
  useEffect(() => {
    if (!isPlaying || !isLoaded) return;
    if (isAtEnd) {
      onEnd();
      return;
    }
    const timer = setTimeout(
      () => onGo(at + 1),
      Math.min(DELAY_MAX_MS, Math.max(DELAY_MIN_MS, apart)) / speed,
    );
    return () => clearTimeout(timer);
  }, [isPlaying, speed, isLoaded, apart, at, isAtEnd, onGo, onEnd]);
}
