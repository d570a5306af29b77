import { describe, expect, test } from "vitest";
import { cutAtLimit, noToolUsed } from "../../machines/conversation/notices.ts";
import { requestInfo } from "../../machines/message/request.ts";
import { DONE, messagesOf, openRig, type Rig, textsOf } from "../support/host.ts";

/** The messages of the log of this kind. */
const saysOf = ({ task }: Rig, say: string) => task.log.toArray().filter((message) => message.say === say);
/** How each request's message was closed. */
const reasons = (rig: Rig) =>
  saysOf(rig, "api_req_started").map((message) => requestInfo(message)?.streamingFailedMessage);

describe("a request that fails", () => {
  test("is retried; each attempt has its own message and sends the same conversation (L4)", async () => {
    await using rig = await openRig({ script: `[{ status: 529, times: 2 }, ${DONE}]` });
    expect((await rig.task.run("Do it")).result).toBe("Done.");
    expect(messagesOf(rig.task)).toEqual([
      "say:text",
      "say:api_req_started",
      "say:api_req_retry_delayed",
      "say:api_req_started",
      "say:api_req_retry_delayed",
      "say:api_req_started",
      "say:completion_result",
      "ask:completion_result",
    ]);
    const [first, ...others] = rig.sent().map((history) => JSON.stringify(history));
    expect(others).toEqual([first, first]);
  });

  test("is not retried before the endpoint's Retry-After has passed", async () => {
    await using rig = await openRig({ script: `[{ status: 429, retryAfter: 0.3 }, ${DONE}]` });
    await rig.task.run("Do it");
    const [failed] = saysOf(rig, "api_req_retry_delayed");
    const [, again] = saysOf(rig, "api_req_started");
    expect((again?.ts ?? 0) - (failed?.ts ?? 0)).toBeGreaterThanOrEqual(300);
    expect(failed?.text).toMatch(/^429\n.*\n<retry_timer>1<\/retry_timer>$/s);
  });

  test("with a Retry-After beyond the longest delay opens an ask immediately", async () => {
    await using rig = await openRig({ script: `[{ status: 429, retryAfter: 3600 }, ${DONE}]` });
    expect(await rig.task.run("Do it")).toMatchObject({ state: "idle", ask: "failure" });
    expect((await rig.task.run("")).result).toBe("Done.");
  });

  test("opens an ask after its last retry, and is repeated when a person approves", async () => {
    await using rig = await openRig({
      script: `[{ status: 500, times: 3 }, ${DONE}]`,
      limits: { retries: 1 },
    });
    expect(await rig.task.run("Do it")).toMatchObject({ state: "idle", ask: "failure" });
    expect(rig.sent()).toHaveLength(2);
    const end = rig.task.settled();
    const ask = await rig.ask("failure");
    expect(ask.text).toContain("500");
    expect(ask.approve()).toEqual({ ok: true });
    expect((await end).result).toBe("Done.");
    expect(rig.sent()).toHaveLength(4);
    expect(messagesOf(rig.task)).toContain("say:api_req_retried");
  });

  test("leaves a resumable task when a person declines to retry it", async () => {
    await using rig = await openRig({
      script: `rules: [{ when: { user: go on }, turns: [${DONE}] }, { turns: [{ status: 500 }] }]`,
      autoRetry: false,
    });
    await rig.task.run("Do it");
    const end = rig.task.settled();
    (await rig.ask("failure")).reject();
    expect(await end).toMatchObject({ state: "resumable", ask: "resume" });
    expect((await rig.task.run("go on")).result).toBe("Done.");
  });

  test.each([
    ["401", "{ status: 401 }", "ANTHROPIC_API_KEY"],
    ["400", "{ status: 400 }", "400"],
    ["a page of HTML", '{ status: 200, body: "<html>welcome</html>" }', "Expected text/event-stream"],
  ])("with an error that a retry can't fix (%s) opens an ask immediately", async (_, fault, text) => {
    await using rig = await openRig({ script: `[${fault}, ${DONE}]` });
    expect(await rig.task.run("Do it")).toMatchObject({ state: "idle", ask: "failure" });
    expect(rig.sent()).toHaveLength(1);
    expect((await rig.ask("failure")).text).toContain(text);
  });

  test("because there is no endpoint names the address", async () => {
    await using rig = await openRig({
      script: `[${DONE}]`,
      anthropic: { baseURL: "http://127.0.0.1:9" },
      autoRetry: false,
    });
    expect(await rig.task.run("Do it")).toMatchObject({ ask: "failure" });
    expect((await rig.ask("failure")).text).toContain("http://127.0.0.1:9");
  });
});

describe("L4: an incomplete stream is a failure, not a response (field failure 27)", () => {
  const text = "text: I was about to say something, chunk: 5";

  test.each([
    ["that is cut", `{ cutAfter: 3, ${text} }`, "cut"],
    ["that ends cleanly without its end mark", `{ cutAfter: 3, cleanly: true, ${text} }`, "cut"],
    [
      "with an error event",
      `{ errorEvent: { type: overloaded_error, message: Too much }, after: 3, ${text} }`,
      "Too much",
    ],
    [
      "with garbage",
      `{ garbage: "event: content_block_delta\\ndata: {broken\\n\\n", after: 3, ${text} }`,
      "Expected JSON events",
    ],
    ["whose connection is dropped", "{ drop: true }", "Cannot reach"],
  ])("%s", async (_, fault, reason) => {
    await using rig = await openRig({ script: `[${fault}, ${DONE}]` });
    expect((await rig.task.run("Do it")).result).toBe("Done.");
    expect(reasons(rig)[0]).toContain(reason);
    expect(rig.sent().map((history) => history.length)).toEqual([1, 1]);
    expect(saysOf(rig, "text").every((message) => message.partial !== true)).toBe(true);
  });

  test("without further events times out", async () => {
    await using rig = await openRig({
      script: `[{ stallMs: 60000, after: 1, ${text} }, ${DONE}]`,
      llm: { idleTimeoutMs: 100 },
    });
    expect((await rig.task.run("Do it")).result).toBe("Done.");
    expect(reasons(rig)[0]).toContain("stream event within 100 ms");
  });

  test("cut within a tool call never runs the call, and its ask is withdrawn (L7)", async () => {
    await using rig = await openRig({
      script: `
- { cutAfter: 2, chunk: 12, tool: write_to_file, input: { path: a.txt, content: "a long text that does not come whole" } }
- ${DONE}
`,
    });
    expect((await rig.task.run("Do it")).result).toBe("Done.");
    expect(messagesOf(rig.task)).toContain("ask:tool (withdrawn)");
    await expect(rig.file("a.txt")).rejects.toThrow("ENOENT");
  });
});

describe("a complete response that can't be used", () => {
  test("of a model that refuses opens an ask with the model's text", async () => {
    await using rig = await openRig({ script: `[{ text: "No.", stop: refusal }]` });
    expect(await rig.task.run("Do it")).toMatchObject({ state: "idle", ask: "failure" });
    expect(rig.sent()).toHaveLength(1);
    expect((await rig.ask("failure")).text).not.toBe("");
  });

  test("that was cut at the output limit keeps its text, and the model is asked to continue", async () => {
    await using rig = await openRig({ script: `[{ text: Half a, stop: max_tokens }, ${DONE}]` });
    await rig.task.run("Do it");
    expect(textsOf(rig.sent()[1] ?? [])).toEqual([cutAtLimit()]);
  });

  test("that the model paused is sent back unchanged, and the model continues", async () => {
    await using rig = await openRig({
      script: `[{ text: "Let me think", stop: pause_turn }, ${DONE}]`,
      pauses: true,
    });
    await rig.task.run("Do it");
    expect(rig.sent()[1]?.at(-1)).toMatchObject({ role: "assistant" });
  });

  test("without a tool call gets a notice and counts as a mistake, until a person is asked", async () => {
    await using rig = await openRig({
      script: "[{ text: one }, { text: two }, { text: three }, { text: four }]",
      completion: "tool",
      limits: { mistakes: 2 },
    });
    expect(await rig.task.run("Do it")).toMatchObject({ state: "idle", ask: "mistakes" });
    expect(textsOf(rig.sent()[1] ?? [])).toEqual([noToolUsed("tool")]);
    expect(rig.sent()).toHaveLength(3);
  });

  test("L14: the limit of requests opens an ask, and only that ask lifts it", async () => {
    await using rig = await openRig({
      script: `[{ text: one }, ${DONE}]`,
      completion: "tool",
      limits: { requests: 1 },
    });
    expect(await rig.task.run("Do it")).toMatchObject({ ask: "limit" });
    await expect(rig.task.run("go on")).rejects.toMatchObject({ code: "TASK_BUSY" });
    const end = rig.task.settled();
    (await rig.ask("limit")).approve();
    expect((await end).result).toBe("Done.");
  });
});

test("usage and cost are summed over all requests, with the user's prices", async () => {
  const usage = (input: number, output: number, read: number, write: number) =>
    `usage: { input_tokens: ${input}, output_tokens: ${output}, cache_read_input_tokens: ${read}, cache_creation_input_tokens: ${write} }`;
  await using rig = await openRig({
    script: `
- { text: one, ${usage(100, 10, 0, 1000)} }
- { ${DONE.slice(1, -1)}, ${usage(50, 20, 1000, 0)} }
`,
    completion: "tool",
    anthropic: {
      model: "house-model",
      prices: {
        "house-model": { input: 1_000_000, output: 2_000_000, cacheWrite: 4_000_000, cacheRead: 500_000 },
      },
    },
  });
  const end = await rig.task.run("Do it");
  expect(end.usage).toEqual({
    tokensIn: 150,
    tokensOut: 30,
    cacheReads: 1000,
    cacheWrites: 1000,
    cost: end.cost,
  });
  expect(end.cost).toBe(100 + 20 + 4000 + 50 + 40 + 500);
  const costs = saysOf(rig, "api_req_started").map((message) => requestInfo(message)?.cost);
  expect(costs).toEqual([4120, 590]);
});
