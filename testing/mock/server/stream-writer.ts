import { once } from "node:events";
import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Step } from "./steps.ts";

/** Events are collected up to this many characters before they are written. */
const batchChars = 64 * 1024;

/**
 * Write steps to a response with their delays, as fast as its socket takes them. Delays count from the time when the
 * previous step was due, so that 2,000 deltas per second stay 2,000 per second: steps that are due are sent together.
 *
 * @returns whether the response was written completely, and not closed by the client
 */
export async function pump(response: Writable, steps: Iterable<Step>): Promise<boolean> {
  if (response.destroyed) return false;
  const closed = new AbortController();
  const onClose = () => closed.abort();
  response.once("close", onClose);
  try {
    return await play(response, steps, closed.signal);
  } catch (error) {
    if (closed.signal.aborted) return false;
    throw error;
  } finally {
    response.off("close", onClose);
  }
}

async function play(response: Writable, steps: Iterable<Step>, signal: AbortSignal): Promise<boolean> {
  let batch = "";
  let due = performance.now();
  const flush = async () => {
    if (batch !== "") await write(response, batch, signal);
    batch = "";
  };
  const until = async (time: number) => {
    const left = time - performance.now();
    if (left <= 0) return;
    await flush();
    await delay(left, undefined, { signal });
  };
  for (const step of steps) {
    if (step.do === "send") {
      due += step.wait;
      if (step.wait > 0) await until(due);
      batch += step.data;
      if (batch.length >= batchChars) await flush();
      continue;
    }
    await flush();
    if (step.do === "bytes") await write(response, step.bytes, signal);
    if (step.do === "silence") {
      due = performance.now() + step.ms;
      await until(due);
    }
    if (step.do === "end") break;
    if (step.do === "reset") {
      await reset(response);
      return true;
    }
  }
  await flush();
  response.end();
  return true;
}

async function write(response: Writable, data: string | Uint8Array, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw signal.reason;
  if (!response.write(data)) await once(response, "drain", { signal });
}

/** Reset the socket once all data has been handed over, so that the client gets it first. */
async function reset(response: Writable): Promise<void> {
  await new Promise<void>((resolve) => response.write("", () => resolve()));
  response.destroy();
}
