import type { Clock } from "../../ports/clock.ts";
import type { ServerBounds } from "../bounds.ts";
import { ServerError } from "../error.ts";
import { problemOf } from "../problem.ts";
import type { ResponseStream } from "./response-stream.ts";
import { WriteBuffer } from "./write-buffer.ts";

export interface SendOptions {
  readonly clock: Clock;
  readonly bounds: Pick<ServerBounds, "stallMs" | "heartbeatMs" | "chunkChars" | "coalesceMs">;
  /** Called with an error that is not the client's. */
  readonly onError: (error: unknown) => void;
}

/** How a stream's items are sent. An empty text means that nothing comes for now. */
export interface StreamFormat<T> {
  readonly type: "text/event-stream" | "application/x-ndjson";
  readonly item: (item: T) => string;
}

/** A stream with a known first item. */
export interface StartedStream<T> {
  readonly first: IteratorResult<T, void>;
  readonly items: AsyncGenerator<T, void>;
}

/** How soon a browser reconnects. */
const RETRY_MS = 1_000;

/** Format one server-sent event. Its data is JSON, which has no line breaks. */
export function formatEvent(json: string, { event, id }: { event?: string; id?: string } = {}): string {
  const eventLine = event === undefined ? "" : `event: ${event}\n`;
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  return `${eventLine}${idLine}data: ${json}\n\n`;
}

/**
 * Send a stream's items until they end or the reader disconnects. They are read no faster than the reader takes them.
 * Events that fail end with the error as the last one; the connection of another format is cut.
 */
export async function sendStream<T>(
  stream: ResponseStream,
  { first, items }: StartedStream<T>,
  { type, item }: StreamFormat<T>,
  options: SendOptions,
): Promise<void> {
  const { clock, bounds, onError } = options;
  const isEvents = type === "text/event-stream";
  if (isEvents) stream.writeIfIdle(`retry: ${RETRY_MS}\n\n`);
  const stopHeartbeat = isEvents ? startHeartbeat(stream, clock, bounds.heartbeatMs) : () => {};
  const buffer = new WriteBuffer(stream, options);
  try {
    for (let next = first; next.done !== true; next = await items.next()) {
      const text = item(next.value);
      if (text === "") buffer.pause();
      else if (!(await buffer.add(text))) break;
    }
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === "INTERNAL") onError(error);
    if (isEvents) await buffer.add(formatEvent(JSON.stringify(problem), { event: "failed" }));
    else stream.cut(new ServerError("INTERNAL", problem.detail, { cause: error }));
  } finally {
    stopHeartbeat();
    await buffer.end();
    stream.end();
    await items.return();
  }
}

/** Keep the connection alive: a proxy closes a silent one. */
function startHeartbeat(stream: ResponseStream, clock: Clock, heartbeatMs: number): () => void {
  const next = (): (() => void) =>
    clock.after(heartbeatMs, () => {
      stream.writeIfIdle(": here\n\n");
      cancelTimer = next();
    });
  let cancelTimer = next();
  return () => cancelTimer();
}
