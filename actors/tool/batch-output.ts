import type { Clock } from "../../ports/clock.ts";

export interface OutputBatchOptions {
  readonly clock: Clock;
  readonly frameMs: number;
  /** Maximum bytes that are sent; the rest is in the tool result only. */
  readonly maxBytes: number;
  readonly send: (text: string) => void;
}

export interface OutputBatch {
  add(text: string): void;
  /** Send what is pending. */
  flush(): void;
}

const MORE = "\n[... further output is not shown while the call runs ...]\n";

/** Batch chunks of output, so that at most one event per frame is sent (L14, L17). */
export function batchOutput({ clock, frameMs, maxBytes, send }: OutputBatchOptions): OutputBatch {
  let chunks: string[] = [];
  let size = 0;
  let cancel: (() => void) | undefined;
  const flush = (): void => {
    cancel?.();
    cancel = undefined;
    const text = chunks.join("");
    chunks = [];
    if (text !== "") send(text.toWellFormed());
  };
  return {
    add(text) {
      if (size > maxBytes) return;
      size += Buffer.byteLength(text);
      chunks.push(size > maxBytes ? MORE : text);
      cancel ??= clock.after(frameMs, flush);
    },
    flush,
  };
}
