import type { Clock } from "../protocol/index.ts";

export interface FrameOptions {
  readonly clock: Clock;
  readonly frameMs: number;
  /** The most bytes that are shown; what comes after is left to the result. */
  readonly maxBytes: number;
  readonly show: (text: string) => void;
}

export interface Frames {
  add(text: string): void;
  /** Shows what is left. */
  end(): void;
}

const MORE = "\n[... further output is not shown while the call runs ...]\n";

/** Gathers pieces of output, so that one event a frame is sent instead of one a piece (L14, L17). */
export function inFrames({ clock, frameMs, maxBytes, show }: FrameOptions): Frames {
  let pieces: string[] = [];
  let size = 0;
  let cancel: (() => void) | undefined;
  const flush = (): void => {
    cancel?.();
    cancel = undefined;
    const text = pieces.join("");
    pieces = [];
    if (text !== "") show(text);
  };
  return {
    add(text) {
      if (size > maxBytes) return;
      size += Buffer.byteLength(text);
      pieces.push(size > maxBytes ? MORE : text);
      cancel ??= clock.after(frameMs, flush);
    },
    end: flush,
  };
}
