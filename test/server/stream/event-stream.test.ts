import { expect, test } from "vitest";
import { systemClock } from "../../../actors/index.ts";
import { DEFAULT_SERVER_BOUNDS } from "../../../server/bounds.ts";
import { type StreamFormat, sendStream } from "../../../server/stream/event-stream.ts";
import { type Connection, ResponseStream } from "../../../server/stream/response-stream.ts";

async function* failing(): AsyncGenerator<string, void> {
  yield "first\n";
  throw new Error("The disk is gone.");
}

/** Reads a stream that fails after its first item. */
async function readFailing(type: StreamFormat<string>["type"], connection: Connection = {}) {
  const errors: unknown[] = [];
  const items = failing();
  const first = await items.next();
  const shared = { clock: systemClock, bounds: DEFAULT_SERVER_BOUNDS };
  const stream = new ResponseStream({ ...shared, connection });
  const text = new Response(stream.body).text().catch((error: unknown) => error);
  const format = { type, item: (text: string) => text };
  await sendStream(stream, { first, items }, format, { ...shared, onError: (error) => errors.push(error) });
  return { text, errors };
}

test("events that fail end with the error as the last one", async () => {
  const { text, errors } = await readFailing("text/event-stream");
  expect(await text).toMatch(/^retry: 1000\n\nfirst\nevent: failed\ndata: \{.*"code":"INTERNAL".*\}\n\n$/);
  expect(errors).toMatchObject([{ message: "The disk is gone." }]);
});

test("lines that fail are cut: a client does not take them for all", async () => {
  const { text, errors } = await readFailing("application/x-ndjson");
  expect(await text).toMatchObject({ code: "INTERNAL" });
  expect(errors).toHaveLength(1);
});

test("lines that fail reset the connection of a server that can", async () => {
  let resets = 0;
  await readFailing("application/x-ndjson", { reset: () => (resets += 1) });
  expect(resets).toBe(1);
});
