import { PassThrough, Writable } from "node:stream";
import fc from "fast-check";
import { Subject } from "rxjs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { JsonEventEmitter, type JsonEventEmitterOptions } from "../../../../client/index.ts";
import type { TaskChange } from "../../../../client/roo/ndjson/event-sources.ts";
import { applyLogEvent, emptyLog, type Log, type LogEvent } from "../../../../machines/message/log.ts";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { jsonEventSchema } from "../../../../wire/index.ts";

type Event = ReturnType<typeof jsonEventSchema.parse>;

/** The output of `--output-format json`, printed at the end. */
const outputSchema = z.looseObject({ events: z.array(jsonEventSchema) });

/** A task that shows what a test gives it, and what was told of it. */
class Told {
  readonly emitter: JsonEventEmitter;
  readonly stdout = new PassThrough({ highWaterMark: 1 << 24 });
  readonly #changes = new Subject<TaskChange>();
  #at = 1000;
  log: Log = emptyLog;

  constructor(options: Partial<JsonEventEmitterOptions> = {}, before: readonly ClineMessage[] = []) {
    for (const message of before) this.log = applyLogEvent(this.log, { type: "message.appended", message });
    const total = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };
    this.emitter = new JsonEventEmitter({ mode: "stream-json", stdout: this.stdout, ...options });
    this.emitter.attachToTask({
      events$: this.#changes,
      log: this.log,
      snapshot: { context: { queue: [], total } },
    });
  }

  add(row: Omit<ClineMessage, "ts">): number {
    this.#at += 1;
    this.apply({ type: "message.appended", message: { ...row, ts: this.#at } });
    return this.#at;
  }

  grow(ts: number, text: string): void {
    this.apply({ type: "message.grown", ts, text });
  }

  amend(ts: number, patch: Partial<ClineMessage>): void {
    this.apply({ type: "message.amended", ts, patch });
  }

  apply(...log: readonly LogEvent[]): void {
    for (const event of log) this.log = applyLogEvent(this.log, event);
    this.#changes.next({ commit: { log } });
  }

  queue(...ids: readonly string[]): void {
    const queue = ids.map((id) => ({ id, text: `say\n  ${id}`, images: [] }));
    this.#changes.next({ commit: { log: [], queue } });
  }

  /** What was told since the last call. */
  get events(): Event[] {
    const text = String(this.stdout.read() ?? "");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => jsonEventSchema.parse(JSON.parse(line)));
  }
}

const prompted = (options: Partial<JsonEventEmitterOptions> = {}): Told => {
  const told = new Told(options);
  told.add({ type: "say", say: "text", text: "Go" });
  expect(told.events.map(({ type }) => type)).toEqual(["system", "user"]);
  return told;
};

describe("messages are emitted by their kind", () => {
  test("the status of a running tool call is not an event: its call was emitted", () => {
    const told = prompted();
    const tool = told.add({ type: "ask", ask: "tool", text: "{}", closing: "answered", callId: "c1" });
    const command = told.add({
      type: "ask",
      ask: "command",
      text: "make",
      closing: "answered",
      callId: "c2",
    });
    expect(told.events.map(({ type }) => type)).toEqual(["tool_use", "tool_use"]);
    for (const ts of [tool, command]) told.amend(ts, { progressStatus: { icon: "sync", text: "1 of 2" } });
    expect(told.events).toEqual([]);
  });

  test("the first line has the protocol and its version", () => {
    expect(new Told().events).toEqual([
      {
        type: "system",
        subtype: "init",
        content: "Task started",
        schemaVersion: 1,
        protocol: "roo-cli-stream",
        capabilities: ["stdin:start", "stdin:message", "stdin:cancel", "stdin:ping", "stdin:shutdown"],
      },
    ]);
  });

  test.each([
    ["text", { type: "assistant", content: "words", done: true }],
    ["reasoning", { type: "thinking", content: "words", done: true }],
    ["user_feedback", { type: "user", content: "words", done: true }],
    ["user_feedback_diff", { type: "user", content: "words", done: true }],
    ["error", { type: "error", content: "words" }],
    ["subtask_result", { type: "assistant", subtype: "subtask_result", content: "words", done: true }],
    ["diff_error", { type: "assistant", subtype: "diff_error", content: "words", done: true }],
  ])("say %s", (say, event) => {
    const told = prompted();
    const id = told.add({ type: "say", say, text: "words" });
    expect(told.events).toEqual([{ ...event, id }]);
  });

  test("the response of an MCP server has no id", () => {
    const told = prompted();
    told.add({ type: "say", say: "mcp_server_response", text: "words" });
    expect(told.events).toEqual([
      { type: "tool_result", subtype: "mcp", tool_result: { name: "mcp_server", output: "words" } },
    ]);
  });

  test.each(["api_req_retried", "api_req_retry_delayed", "checkpoint_saved", "condense_context", "tool"])(
    "say %s without a text is not emitted",
    (say) => {
      const told = prompted();
      told.add({ type: "say", say, text: say === "tool" ? "" : "words" });
      expect(told.events).toEqual([]);
    },
  );

  test("an open ask has the askId that an answer names (L8)", () => {
    const told = prompted();
    const id = told.add({ type: "ask", ask: "followup", text: "Which?" });
    expect(told.events).toEqual([
      { type: "assistant", subtype: "followup", id, askId: id, content: "Which?", done: true },
    ]);
    const resume = told.add({ type: "ask", ask: "resume_task", text: "" });
    expect(told.events).toEqual([
      { type: "assistant", subtype: "resume_task", id: resume, askId: resume, done: true },
    ]);
  });

  test("a call that a policy approved is emitted whole, without an ask", () => {
    const told = prompted();
    const text = '{"tool":"readFile","path":"a"}';
    const id = told.add({ type: "ask", ask: "tool", text: "", partial: true });
    told.amend(id, { text, partial: false, closing: "answered", isAnswered: true });
    expect(told.events).toEqual([
      {
        type: "tool_use",
        subtype: "tool",
        id,
        tool_use: { name: "readFile", input: { tool: "readFile", path: "a" } },
        done: true,
      },
    ]);
  });

  test("an insertion into a call's preview is emitted, or the whole preview for any other change", () => {
    const told = prompted();
    const id = told.add({ type: "ask", ask: "tool", text: "", partial: true });
    told.amend(id, { text: '{"tool":"newFileCreated","content":"on"}' });
    told.amend(id, { text: '{"tool":"newFileCreated","content":"one two"}' });
    told.amend(id, { text: '{"tool":"newFileCreated","path":"a"}' });
    expect(told.events.map(({ content, tool_use }) => [tool_use?.name, content])).toEqual([
      ["newFileCreated", '{"tool":"newFileCreated","content":"on"}'],
      ["newFileCreated", "e two"],
      ["newFileCreated", '{"tool":"newFileCreated","path":"a"}'],
    ]);
  });

  test("a withdrawn call ends without an input; one without any event is not emitted", () => {
    const told = prompted();
    const silent = told.add({ type: "ask", ask: "tool", text: "", partial: true });
    told.amend(silent, { partial: false, closing: "withdrawn" });
    expect(told.events).toEqual([]);
    const id = told.add({ type: "ask", ask: "command", text: "rm", partial: true });
    told.amend(id, { partial: false, closing: "withdrawn" });
    expect(told.events.at(-1)).toMatchObject({ id, done: true, tool_use: { name: "execute_command" } });
    expect(told.log.at(-1)?.closing).toBe("withdrawn");
  });

  test("a message that was emitted whole is not emitted again", () => {
    const told = prompted();
    const id = told.add({ type: "ask", ask: "command", text: "ls" });
    expect(told.events).toHaveLength(1);
    told.amend(id, { closing: "answered", isAnswered: true });
    expect(told.events).toEqual([]);
  });

  test("a subtask's events have its id, and its parent emits the result", () => {
    const told = new Told();
    const changes = new Subject<TaskChange>();
    const total = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };
    told.emitter.attachToTask(
      { events$: changes, log: emptyLog, snapshot: { context: { queue: [], total } } },
      { subtaskId: "t.1" },
    );
    const rows: readonly ClineMessage[] = [
      { ts: 1, type: "say", say: "text", text: "Go" },
      { ts: 2, type: "say", say: "text", text: "half", partial: true },
      { ts: 3, type: "ask", ask: "completion_result", text: "" },
    ];
    changes.next({ commit: { log: rows.map((message) => ({ type: "message.appended", message })) } });
    expect(told.events.slice(1).map(({ type, taskId }) => [type, taskId])).toEqual([
      ["user", "t.1"],
      ["assistant", "t.1"],
    ]);
  });
});

describe("a command's output has the id of the ask that approved it", () => {
  const running = (): { told: Told; id: number; ask: number } => {
    const told = prompted();
    const id = told.add({ type: "ask", ask: "command", text: "make", callId: "c" });
    told.amend(id, { closing: "answered", isAnswered: true });
    const ask = told.add({ type: "ask", ask: "command_output", text: "", callId: "c" });
    told.grow(ask, "one\n");
    told.grow(ask, "two\n");
    return { told, id, ask };
  };

  test("is emitted as deltas, then the exit code", () => {
    const { told, id, ask } = running();
    told.amend(ask, { closing: "ended" });
    told.add({ type: "say", say: "command_output", text: "one\ntwo\n", callId: "c", exitCode: 2 });
    const [use, begun, ...events] = told.events;
    expect(use).toMatchObject({ type: "tool_use", subtype: "command", id, askId: id });
    expect(begun).toMatchObject({ type: "tool_result", id, askId: ask });
    expect(events).toMatchObject([
      { id, askId: ask, tool_result: { output: "one\n" } },
      { id, askId: ask, tool_result: { output: "two\n" } },
      { id, done: true, tool_result: { name: "execute_command", exitCode: 2 } },
    ]);
    expect(events.at(-1)?.tool_result?.output).toBeUndefined();
  });

  test("ends with a cancel", () => {
    const { told, id, ask } = running();
    told.amend(ask, { closing: "withdrawn" });
    expect(told.events.at(-1)).toMatchObject({ id, done: true, tool_result: { name: "execute_command" } });
  });

  test("ends when the command continues in the background, for a source that has messages only", () => {
    const { told, id, ask } = running();
    told.amend(ask, { closing: "answered" });
    expect(told.events.at(-1)?.done).toBeUndefined();
    told.add({ type: "say", say: "tool", text: "", callId: "c" });
    expect(told.events).toMatchObject([{ id, done: true, tool_result: { name: "execute_command" } }]);
  });
});

describe("a result", () => {
  const closed = (cost: number): string =>
    JSON.stringify({ tokensIn: 10, tokensOut: 2, cacheWrites: 0, cacheReads: 1, cost });

  test("has the task's result and the cost of its requests, each counted once", () => {
    const told = prompted();
    for (const cost of [0.25, 0.5]) {
      const request = told.add({ type: "say", say: "api_req_started", text: "{}" });
      told.amend(request, { text: closed(cost) });
      told.amend(request, { text: closed(cost) });
    }
    told.add({ type: "say", say: "completion_result", text: "All done." });
    const id = told.add({ type: "ask", ask: "completion_result", text: "" });
    expect(told.events).toEqual([
      {
        type: "result",
        id,
        askId: id,
        content: "All done.",
        success: true,
        done: true,
        cost: { totalCost: 0.75, inputTokens: 20, outputTokens: 4, cacheWrites: 0, cacheReads: 2 },
      },
    ]);
  });

  test("is the agent's last text if there is no result", () => {
    const told = prompted();
    told.add({ type: "say", say: "text", text: "That was it." });
    told.add({ type: "ask", ask: "completion_result", text: "" });
    expect(told.events.at(-1)).toMatchObject({ type: "result", content: "That was it." });
  });

  test("forgets the text of the one before, and has no content without a text", () => {
    const told = prompted();
    told.add({ type: "say", say: "text", text: "I begin." });
    told.add({ type: "say", say: "completion_result", text: "First." });
    for (const text of ["", "", "Third."]) told.add({ type: "ask", ask: "completion_result", text });
    const results = told.events.filter(({ type }) => type === "result");
    expect(results.map(({ content }) => content)).toEqual(["First.", undefined, "Third."]);
  });

  test("in json mode is one object with all other events, and is the only output", () => {
    const told = new Told({ mode: "json" });
    told.add({ type: "say", say: "text", text: "Go" });
    const id = told.add({ type: "say", say: "text", text: "I", partial: true });
    told.grow(id, " begin");
    told.amend(id, { partial: false });
    expect(told.stdout.readableLength).toBe(0);
    told.add({ type: "ask", ask: "completion_result", text: "Done." });
    const printed = outputSchema.parse(JSON.parse(String(told.stdout.read())));
    expect(printed).toMatchObject({ type: "result", success: true, content: "Done." });
    expect(printed.events.map(({ type, content }) => [type, content])).toEqual([
      ["system", "Task started"],
      ["user", "Go"],
      ["assistant", "I begin"],
    ]);
  });

  test("in json mode has each command's output once, in full", () => {
    const told = new Told({ mode: "json" });
    const callId = "c";
    const id = told.add({ type: "ask", ask: "command", text: "ls", callId });
    const output = told.add({ type: "ask", ask: "command_output", text: "", callId });
    told.grow(output, "one\n");
    told.amend(output, { closing: "ended" });
    told.add({ type: "say", say: "command_output", text: "one\ntwo\n", callId, exitCode: 0 });
    told.add({ type: "ask", ask: "completion_result", text: "Done." });
    const printed = outputSchema.parse(JSON.parse(String(told.stdout.read())));
    expect(printed.events.slice(2)).toMatchObject([
      { type: "tool_result", id, done: true, tool_result: { output: "one\ntwo\n", exitCode: 0 } },
    ]);
  });

  test.each(["json", "stream-json"] as const)(
    "of a task that was complete before is reported in %s",
    (mode) => {
      const stdout = new PassThrough();
      const usage = { tokensIn: 3, tokensOut: 2, cacheWrites: 0, cacheReads: 0, cost: 0.5 };
      new JsonEventEmitter({ mode, stdout }).emitResult({ taskId: "t", content: "Done.", usage });
      const text = String(stdout.read());
      const told: unknown = JSON.parse(mode === "json" ? text : (text.trim().split("\n").at(-1) ?? ""));
      expect(told).toMatchObject({
        ...{ type: "result", success: true, content: "Done.", taskId: "t" },
        cost: { totalCost: 0.5, inputTokens: 3, outputTokens: 2 },
      });
    },
  );
});

test("the messages of a reopened task's recovery are emitted before its ask to resume (L12)", () => {
  const told = new Told({}, [
    { ts: 1, type: "say", say: "text", text: "Go" },
    { ts: 2, type: "say", say: "error", text: "Told long ago." },
    { ts: 3, type: "say", say: "text", text: "Words." },
    { ts: 4, type: "say", say: "error", text: "The outcome is uncertain." },
    { ts: 5, type: "say", say: "subtask_result", text: "Cancelled." },
    { ts: 6, type: "ask", ask: "resume_task", text: "" },
  ]);
  expect(told.events.map(({ type, subtype, id }) => [subtype ?? type, id])).toEqual([
    ["init", undefined],
    ["error", 4],
    ["subtask_result", 5],
    ["resume_task", 6],
  ]);
});

describe("the queue", () => {
  test("is emitted with the kind of its change", () => {
    const told = prompted();
    for (const ids of [["a"], ["a", "b"], ["a", "c"], ["c"], []]) told.queue(...ids);
    expect(told.events.map(({ subtype, content, queueDepth }) => [subtype, content, queueDepth])).toEqual([
      ["enqueued", "queue enqueued (1 item)", 1],
      ["enqueued", "queue enqueued (2 items)", 2],
      ["updated", "queue updated (2 items)", 2],
      ["dequeued", "queue dequeued (1 item)", 1],
      ["drained", "queue drained (0 items)", 0],
    ]);
  });

  test("is emitted again if the text or the images of a message changed, and only then", () => {
    const told = new Told();
    const emitter = new JsonEventEmitter({ mode: "stream-json", stdout: told.stdout });
    for (const [text, ...images] of [["a"], ["b"], ["b", "i"], ["b", "j"], ["b", "j"], ["b"]])
      emitter.queueChanged([{ id: "q", text: text ?? "", images }]);
    expect(
      told.events.slice(1).map(({ subtype, queue }) => [subtype, queue?.[0]?.text, queue?.[0]?.imageCount]),
    ).toEqual([
      ["snapshot", "a", undefined],
      ["updated", "b", undefined],
      ["updated", "b", 1],
      ["updated", "b", 1],
      ["updated", "b", undefined],
    ]);
  });

  test("that existed before is a snapshot, with shortened texts", () => {
    const told = new Told();
    const emitter = new JsonEventEmitter({ mode: "stream-json", stdout: told.stdout });
    emitter.queueChanged([{ id: "a", text: `  x \n ${"y".repeat(300)}`, images: ["i", "j"] }]);
    const item = told.events.at(-1)?.queue?.[0];
    expect(item).toMatchObject({ id: "a", imageCount: 2 });
    expect(item?.text).toBe(`x ${"y".repeat(175)}...`);
  });
});

test("events have the id of their request, control events their own if they name one", () => {
  let current: string | undefined;
  const told = prompted({ requestIdProvider: () => current });
  current = "r1";
  told.add({ type: "say", say: "text", text: "a" });
  told.emitter.emitControl({ subtype: "ack", requestId: "r2", command: "ping" });
  told.emitter.emitControl({ subtype: "ack", command: "cancel" });
  expect(told.events.map(({ requestId }) => requestId)).toEqual(["r1", "r2", "r1"]);
});

test("the end of a command is the only control event that is done", () => {
  const told = prompted();
  for (const subtype of ["ack", "done", "error"] as const)
    told.emitter.emitControl({ subtype, command: "ping" });
  expect(told.events.map(({ subtype, done }) => [subtype, done])).toEqual([
    ["ack", undefined],
    ["done", true],
    ["error", undefined],
  ]);
});

describe("a slow reader", () => {
  /** Takes a line when it is let. */
  class Slow extends Writable {
    taken = "";
    #next: (() => void) | undefined;
    constructor() {
      super({ highWaterMark: 1 });
    }
    override _write(chunk: Buffer, _encoding: string, done: () => void): void {
      this.taken += String(chunk);
      this.#next = done;
    }
    take(): boolean {
      const next = this.#next;
      this.#next = undefined;
      next?.();
      return next !== undefined;
    }
  }
  const pieces = fc.array(fc.tuple(fc.string({ unit: "binary", maxLength: 5 }), fc.boolean()), {
    maxLength: 30,
  });

  test("the joined deltas of a message are its text, and the whole message follows, however slow the reader is", async () => {
    await fc.assert(
      fc.asyncProperty(pieces, async (grown) => {
        const stdout = new Slow();
        const told = new Told({ stdout });
        const id = told.add({ type: "say", say: "reasoning", text: "", partial: true });
        let text = "";
        for (const [piece, reads] of grown) {
          told.grow(id, piece);
          text += piece;
          if (reads) {
            stdout.take();
            // A stream says that it is drained in its own turn.
            await new Promise((resolve) => setImmediate(resolve));
          }
        }
        told.amend(id, { partial: false });
        expect(told.emitter.waitingLines).toBeLessThanOrEqual(2 + grown.length);
        const flushed = told.emitter.flushed();
        while (stdout.take() || stdout.writableNeedDrain)
          await new Promise((resolve) => setImmediate(resolve));
        await flushed;
        const events = stdout.taken
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => jsonEventSchema.parse(JSON.parse(line)))
          .filter((event) => event.id === id);
        const done = events.pop();
        expect(done).toMatchObject({ done: true, content: text });
        expect(events.map(({ content }) => content).join("")).toBe(text);
      }),
      { numRuns: 100 },
    );
  });

  test("the queued deltas of one message are one line (L14)", () => {
    const told = new Told({ stdout: new Slow() });
    const id = told.add({ type: "say", say: "reasoning", text: "", partial: true });
    for (let index = 0; index < 1000; index += 1) told.grow(id, "word ");
    expect(told.emitter.waitingLines).toBe(1);
  });

  test("a reader that is too far behind is an error that names the limit (L14)", () => {
    const told = new Told({ stdout: new Slow(), waitingLines: 3 });
    const errors: string[] = [];
    told.emitter.onBroken(({ code, message }) => errors.push(`${code}: ${message}`));
    for (let index = 0; index < 9; index += 1) told.add({ type: "say", say: "text", text: "a row" });
    expect(errors).toEqual([expect.stringMatching(/^OUTPUT_FULL: .*waitingLines/)]);
  });

  test("a closed reader is reported, and nothing is thrown", async () => {
    const stdout = new PassThrough();
    const told = new Told({ stdout });
    const broken = new Promise((resolve) => told.emitter.onBroken(({ code }) => resolve(code)));
    stdout.destroy(new Error("EPIPE"));
    expect(await broken).toBe("OUTPUT_CLOSED");
    told.add({ type: "say", say: "text", text: "into the void" });
    await told.emitter.flushed();
  });
});
