import type { Writable } from "node:stream";

/** Resolves when the system has taken what was written, or the reader has gone away. */
export function flush(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write("", () => resolve());
  });
}
