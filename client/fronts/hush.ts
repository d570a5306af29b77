import type { Writable } from "node:stream";

/**
 * Takes what others write to this stream, and gives it to `instead`. Whoever has the stream's own `write` still writes.
 * The function it gives takes that back.
 */
export function hush(stream: Writable, instead: (text: string) => void): () => void {
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
