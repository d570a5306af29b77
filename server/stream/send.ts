import type { ServerResponse } from "node:http";
import type { Clock } from "../../actors/index.ts";
import type { Waiter } from "../../trace/index.ts";
import type { ServerBounds } from "../bounds.ts";
import { NO_STORE, SECURITY_HEADERS } from "../headers.ts";
import { Gatherer } from "./gatherer.ts";
import { Outlet } from "./outlet.ts";

export interface SendOptions {
  readonly clock: Clock;
  readonly bounds: Pick<ServerBounds, "stallMs" | "heartbeatMs" | "chunkChars" | "gatherMs">;
  readonly type: "text/event-stream" | "application/x-ndjson";
}

/** How soon a browser comes again after its connection was lost. */
const RETRY_MS = 1_000;

/**
 * Sends texts for as long as there are some and the reader takes them: whichever ends first ends it. An empty one says
 * that nothing comes for a while. The source is asked for no more than the reader has taken.
 */
export async function send(
  response: ServerResponse,
  texts: AsyncIterable<string>,
  waiter: Waiter,
  options: SendOptions,
): Promise<void> {
  const { clock, bounds, type } = options;
  const outlet = new Outlet(response, { clock, bounds });
  outlet.onOver(waiter.leave);
  if (outlet.isOver) waiter.leave();
  outlet.begin({ ...SECURITY_HEADERS, ...NO_STORE, "content-type": `${type}; charset=utf-8` });
  const isEvents = type === "text/event-stream";
  if (isEvents) outlet.mention(`retry: ${RETRY_MS}\n\n`);
  const quiet = isEvents ? beat(outlet, clock, bounds.heartbeatMs) : () => {};
  try {
    await pass(outlet, texts, options);
  } finally {
    quiet();
    outlet.end();
  }
}

async function pass(outlet: Outlet, texts: AsyncIterable<string>, options: SendOptions): Promise<void> {
  const gatherer = new Gatherer(outlet, options);
  for await (const text of texts) {
    if (text === "") gatherer.pause();
    else if (!(await gatherer.add(text))) return;
  }
  await gatherer.end();
}

/** Says now and then that the server is there: a proxy ends a connection that is silent for long. */
function beat(outlet: Outlet, clock: Clock, heartbeatMs: number): () => void {
  const next = (): (() => void) =>
    clock.after(heartbeatMs, () => {
      outlet.mention(": here\n\n");
      forget = next();
    });
  let forget = next();
  return () => forget();
}
