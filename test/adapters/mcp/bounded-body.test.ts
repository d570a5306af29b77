import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { boundedBody } from "../../../adapters/mcp/bounded-body.ts";

const LIMITS = { messageBytes: 100, discardedBytes: 1_000 };
const response = (id: number, length: number) => ({
  jsonrpc: "2.0",
  id,
  result: { text: "x".repeat(length) },
});
const event = (message: unknown) => `data: ${JSON.stringify(message)}\n\n`;

/** The rest of a body that comes in chunks of this many bytes. */
function bounded(body: string, isEvents: boolean, bytes: number): Promise<string> {
  const whole = Buffer.from(body);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < whole.length; at += bytes) controller.enqueue(whole.subarray(at, at + bytes));
      controller.close();
    },
  });
  return text(stream.pipeThrough(boundedBody({ limits: LIMITS, isEvents })));
}

describe.each([1, 7, 64, 10_000])("a body in chunks of %d bytes", (bytes) => {
  test("has an error in place of a response that is too long, and the events around it (field report 18)", async () => {
    const before = event({ jsonrpc: "2.0", method: "notifications/progress", params: { id: 9 } });
    const long = event({ jsonrpc: "2.0", method: "notifications/message", params: { a: "y".repeat(200) } });
    const after = event(response(8, 5));
    const body = await bounded(`${before}${event(response(7, 200))}${long}${after}`, true, bytes);
    expect(body.startsWith(before)).toBe(true);
    expect(body.endsWith(after)).toBe(true);
    const [error, ...others] = body.slice(before.length, -after.length).match(/data: .*/g) ?? [];
    expect(others).toEqual([]);
    expect(JSON.parse(error?.slice(6) ?? "")).toMatchObject({
      id: 7,
      error: { message: expect.stringMatching(/^The response has 2\d\d bytes, expected at most 100 /) },
    });
  });

  test("of one message is that message, or the error of one that is too long", async () => {
    const short = JSON.stringify(response(7, 5));
    expect(await bounded(short, false, bytes)).toBe(short);
    const { jsonrpc, id, result } = response(7, 200);
    const long = JSON.stringify({ result, id, jsonrpc });
    expect(JSON.parse(await bounded(long, false, bytes))).toMatchObject({ id: 7, error: { code: -2 } });
  });

  test("of one message that is far too long fails", async () => {
    await expect(bounded(JSON.stringify(response(7, 2_000)), false, bytes)).rejects.toThrow(
      "at most 1000 bytes",
    );
  });
});

test("an event that is cut is not a response, however long it is", async () => {
  const cut = event(response(7, 200)).trimEnd();
  expect(await bounded(cut, true, 10)).toBe("");
});
