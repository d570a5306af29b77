import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { systemClock } from "../../../actors/index.ts";
import { DEFAULT_SERVER_BOUNDS } from "../../../server/bounds.ts";
import { type StreamFormat, sendStream } from "../../../server/stream/event-stream.ts";
import { WakeSignal } from "../../../visualize/trace/live/wake-signal.ts";

async function* failing(): AsyncGenerator<string, void> {
  yield "first\n";
  throw new Error("The disk is gone.");
}

/** Fetches a stream that fails after its first item. */
async function fetchFailing(type: StreamFormat<string>["type"]) {
  const errors: unknown[] = [];
  const send = async (response: ServerResponse): Promise<void> => {
    const items = failing();
    const first = await items.next();
    const options = {
      clock: systemClock,
      bounds: DEFAULT_SERVER_BOUNDS,
      onError: (e: unknown) => errors.push(e),
    };
    await sendStream(
      response,
      { first, items, signal: new WakeSignal() },
      { type, item: (text) => text },
      options,
    );
  };
  const server = createServer((_request, response) => void send(response)).listen(0);
  await once(server, "listening");
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const text = await response.text().catch((error: unknown) => error);
  server.close();
  return { text, errors };
}

test("events that fail end with the error as the last one", async () => {
  const { text, errors } = await fetchFailing("text/event-stream");
  expect(text).toMatch(/^retry: 1000\n\nfirst\nevent: failed\ndata: \{.*"code":"INTERNAL".*\}\n\n$/);
  expect(errors).toMatchObject([{ message: "The disk is gone." }]);
});

test("lines that fail are cut: a client does not take them for all", async () => {
  const { text, errors } = await fetchFailing("application/x-ndjson");
  expect(text).toMatchObject({ name: "TypeError", message: "terminated" });
  expect(errors).toHaveLength(1);
});
