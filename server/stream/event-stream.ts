import type { ServerResponse } from "node:http";
import type { Clock } from "../../actors/index.ts";
import type { WakeSignal } from "../../trace/live/index.ts";
import type { ServerBounds } from "../bounds.ts";
import { NO_STORE, SECURITY_HEADERS } from "../headers.ts";
import { ResponseStream } from "./response-stream.ts";
import { WriteBuffer } from "./write-buffer.ts";

export interface SendOptions {
  readonly clock: Clock;
  readonly bounds: Pick<ServerBounds, "stallMs" | "heartbeatMs" | "chunkChars" | "coalesceMs">;
  readonly type: "text/event-stream" | "application/x-ndjson";
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
 * Send texts until they end or the reader disconnects. An empty text means that nothing comes for now. The source is
 * read no faster than the reader takes.
 */
export async function sendStream(
  response: ServerResponse,
  texts: AsyncIterable<string>,
  signal: WakeSignal,
  options: SendOptions,
): Promise<void> {
  const { clock, bounds, type } = options;
  const stream = new ResponseStream(response, { clock, bounds });
  stream.onClose(signal.abort);
  if (stream.isClosed) signal.abort();
  stream.start({ ...SECURITY_HEADERS, ...NO_STORE, "content-type": `${type}; charset=utf-8` });
  const isEvents = type === "text/event-stream";
  if (isEvents) stream.writeIfIdle(`retry: ${RETRY_MS}\n\n`);
  const stopHeartbeat = isEvents ? startHeartbeat(stream, clock, bounds.heartbeatMs) : () => {};
  try {
    await write(stream, texts, options);
  } finally {
    stopHeartbeat();
    stream.end();
  }
}

async function write(
  stream: ResponseStream,
  texts: AsyncIterable<string>,
  options: SendOptions,
): Promise<void> {
  const buffer = new WriteBuffer(stream, options);
  for await (const text of texts) {
    if (text === "") buffer.pause();
    else if (!(await buffer.add(text))) return;
  }
  await buffer.end();
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
