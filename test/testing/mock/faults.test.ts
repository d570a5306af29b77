import { APIConnectionError, APIError, OverloadedError, RateLimitError } from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { assistant, deltas, hello, mockWith, textOf, types, user } from "./support.ts";

const words = "text: one two three\n  chunk: 4";

describe("a fault is the first attempt of the next turn", () => {
  test("a status becomes the SDK's error, in the format of the API", async () => {
    await using mock = await mockWith(`- status: 529\n- ${words}`);
    const { error } = await mock.events(hello);
    expect(error).toBeInstanceOf(OverloadedError);
    expect(error).toMatchObject({ status: 529, type: "overloaded_error", requestID: "req_mock_1" });
    expect(textOf(await mock.events(hello))).toBe("one two three");
  });

  test("a status may have a body and a retry-after", async () => {
    await using mock = await mockWith(
      "- {status: 429, retryAfter: 1.5}\n- status: 502\n  body: <html>Bad gateway</html>\n- {status: 400, body: {error: {type: odd}}}\n- text: a",
    );
    const limited = (await mock.events(hello)).error;
    expect(limited).toBeInstanceOf(RateLimitError);
    expect(limited instanceof APIError && limited.headers?.get("retry-after")).toBe("1.5");
    expect(String((await mock.events(hello)).error)).toContain("<html>Bad gateway</html>");
    expect((await mock.events(hello)).error).toMatchObject({ status: 400, type: "odd" });
  });

  test("a dropped connection has no response", async () => {
    await using mock = await mockWith(`- drop: true\n- ${words}`);
    expect((await mock.events(hello)).error).toBeInstanceOf(APIConnectionError);
    expect(mock.server.requests[0]).toMatchObject({ status: 0, fault: "drop" });
  });

  test("a cut stream ends after its deltas, with a closed socket", async () => {
    await using mock = await mockWith(`- cutAfter: 2\n- ${words}`);
    const received = await mock.events(hello);
    expect(deltas(received)).toEqual(["one ", "two "]);
    expect(received.error).toBeInstanceOf(TypeError);
    expect(types(received)).not.toContain("message_stop");
  });

  test("a clean cut ends the HTTP response normally, without message_stop", async () => {
    await using mock = await mockWith(`- {cutAfter: 2, cleanly: true}\n- ${words}`);
    const received = await mock.events(hello);
    expect(received.error).toBeUndefined();
    expect(deltas(received)).toEqual(["one ", "two "]);
    expect(types(received)).not.toContain("message_stop");
  });

  test("a cut after 0 deltas follows message_start", async () => {
    await using mock = await mockWith(`- {cutAfter: 0, cleanly: true}\n- ${words}`);
    expect(types(await mock.events(hello))).toEqual(["message_start"]);
  });

  test("a cut after more deltas than there are comes before the last two events", async () => {
    await using mock = await mockWith(`- {cutAfter: 99, cleanly: true}\n- ${words}`);
    const received = await mock.events(hello);
    expect(textOf(received)).toBe("one two three");
    expect(types(received).at(-1)).toBe("content_block_stop");
  });

  test("an error event comes in mid-stream, and the stream ends", async () => {
    await using mock = await mockWith(
      `- errorEvent: {type: overloaded_error, message: Busy}\n  after: 1\n- ${words}`,
    );
    const received = await mock.events(hello);
    expect(deltas(received)).toEqual(["one "]);
    expect(received.error).toBeInstanceOf(APIError);
    expect(received.error).toMatchObject({ status: undefined, type: "overloaded_error" });
    expect(String(received.error)).toContain("Busy");
  });

  test("nothing comes after an error event", async () => {
    await using mock = await mockWith(`- errorEvent: {type: overloaded_error, message: Busy}\n- ${words}`);
    const response = await mock.post({ model: "m", max_tokens: 1, stream: true, messages: hello });
    expect(await response.text()).toMatch(/\n\nevent: error\ndata: \{[^\n]*"message":"Busy"\}\}\n\n$/);
  });

  test("a stall is silence after some deltas; then the stream continues", async () => {
    await using mock = await mockWith(`- {stallMs: 60, after: 2}\n- ${words}`);
    const begun = performance.now();
    expect(textOf(await mock.events(hello))).toBe("one two three");
    expect(performance.now() - begun).toBeGreaterThanOrEqual(59);
  });

  test("a client may disconnect during a stall; its next request is the next attempt", async () => {
    await using mock = await mockWith(`- {stallMs: 86400000, after: 2}\n- ${words}`);
    const stream = await mock.client.messages.create({
      model: "m",
      max_tokens: 1,
      stream: true,
      messages: hello,
    });
    for await (const event of stream) if (JSON.stringify(event).includes('"two "')) break;
    const received = await mock.events(hello);
    expect(textOf(received)).toBe("one two three");
    expect(mock.server.requests.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  test("garbage that is broken JSON fails in the SDK", async () => {
    await using mock = await mockWith(
      `- garbage: "event: content_block_delta\\ndata: {broken\\n\\n"\n  after: 1\n- ${words}`,
    );
    const received = await mock.events(hello);
    expect(deltas(received)).toEqual(["one "]);
    expect(received.error).toBeInstanceOf(SyntaxError);
    expect(textOf(await mock.events(hello))).toBe("one two three");
  });

  test("garbage is sent byte for byte, and the stream continues after it", async () => {
    await using mock = await mockWith(`- {garbage: {base64: /wD+gQ==}, after: 1}\n- ${words}`);
    const response = await mock.post({ model: "m", max_tokens: 1, stream: true, messages: hello });
    const bytes = Buffer.from(await response.arrayBuffer());
    const at = bytes.indexOf(Buffer.from([0xff, 0x00, 0xfe, 0x81]));
    expect(at).toBeGreaterThan(bytes.indexOf('"text":"one "'));
    expect(at).toBeLessThan(bytes.indexOf('"text":"two "'));
    expect(bytes.includes("event: message_stop")).toBe(true);
  });

  test("a fault may stream its own blocks first", async () => {
    await using mock = await mockWith("- {text: another thing, chunk: 7, cutAfter: 1}\n- text: the thing");
    expect(deltas(await mock.events(hello))).toEqual(["another"]);
    expect(deltas(await mock.events(hello))).toEqual(["the thing"]);
  });

  test("a list that ends with faults repeats the last one", async () => {
    await using mock = await mockWith("- status: 529\n- status: 500");
    const statuses: unknown[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push(((await mock.events(hello)).error as APIError).status);
    expect(statuses).toEqual([529, 500, 500, 500]);
  });

  test("a request that does not stream gets the closest equivalent", async () => {
    await using mock = await mockWith(
      `- cutAfter: 1\n- errorEvent: {type: overloaded_error}\n- garbage: "{no json"\n- stallMs: 30\n- ${words}`,
    );
    const whole = () => mock.client.messages.create({ model: "m", max_tokens: 9, messages: hello });
    await expect(whole()).rejects.toThrow();
    await expect(whole()).rejects.toBeInstanceOf(OverloadedError);
    await expect(whole()).rejects.toThrow();
    expect((await whole()).content).toEqual([{ type: "text", text: "one two three" }]);
  });
});

describe("attempts are counted for each conversation and turn", () => {
  const script = `- status: 529\n- ${words}\n- {status: 500, times: 2}\n- text: second`;
  const attempts = async (messages = hello) => {
    await using mock = await mockWith(script);
    const outcomes: boolean[] = [];
    for (let n = 0; n < 3; n += 1) outcomes.push((await mock.events(messages)).error === undefined);
    return outcomes;
  };

  test("each turn has its own faults", async () => {
    expect(await attempts()).toEqual([false, true, false]);
    expect(await attempts([...hello, assistant("a"), user("b")])).toEqual([false, false, true]);
  });

  test("two conversations at once do not disturb one another", async () => {
    await using mock = await mockWith(`- {status: 529, times: 2}\n- ${words}`);
    const run = async (text: string) => {
      const outcomes: boolean[] = [];
      for (let n = 0; n < 3; n += 1) outcomes.push((await mock.events([user(text)])).error === undefined);
      return outcomes;
    };
    const names = Array.from({ length: 20 }, (_, n) => `task ${n}`);
    for (const outcomes of await Promise.all(names.map(run))) expect(outcomes).toEqual([false, false, true]);
  });

  test("two tasks with equal messages are distinguished by metadata.user_id", async () => {
    await using mock = await mockWith(`- status: 529\n- ${words}`);
    for (const id of ["a", "b"]) expect((await mock.events(hello, id)).error).toBeInstanceOf(OverloadedError);
    for (const id of ["a", "b"]) expect((await mock.events(hello, id)).error).toBeUndefined();
  });

  test("cache marks make no difference", async () => {
    await using mock = await mockWith(`- status: 529\n- ${words}`);
    await mock.events(hello);
    const marked = user([{ type: "text", text: "hello", cache_control: { type: "ephemeral" } }]);
    expect((await mock.events([marked])).error).toBeUndefined();
  });

  test("a completed conversation gets the same faults when it is repeated", async () => {
    await using mock = await mockWith(`- status: 529\n- ${words}`);
    const runs: unknown[] = [];
    for (let n = 0; n < 4; n += 1) runs.push((await mock.events(hello)).error === undefined);
    expect(runs).toEqual([false, true, false, true]);
  });
});
