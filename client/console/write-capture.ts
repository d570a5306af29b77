import type { Writable } from "node:stream";

/**
 * Capture everything that other code writes to a stream: it is passed to `instead`. A holder of the stream's original
 * `write` still writes. The returned function restores the stream.
 */
export function captureWrites(stream: Writable, instead: (text: string) => void): () => void {
  const own = Object.getOwnPropertyDescriptor(stream, "write");
  const write = (chunk: unknown, ...rest: unknown[]): boolean => {
    instead(typeof chunk === "string" ? chunk : Buffer.from(chunk as Uint8Array).toString());
    const done = rest.find((argument) => typeof argument === "function");
    if (done !== undefined) queueMicrotask(() => done());
    return true;
  };
  Object.defineProperty(stream, "write", { value: write, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(stream, "write");
    else Object.defineProperty(stream, "write", own);
  };
}
