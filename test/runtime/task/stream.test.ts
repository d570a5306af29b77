import { expect, test } from "vitest";
import { z } from "zod";
import type { TaskStreamEvent } from "../../../runtime/task/task-stream.ts";
import { allowEverything, defineTool, type RunPorts, type Tool } from "../../../tools/index.ts";
import { openRig } from "../../support/host.ts";
import { deferred } from "../../support/model.ts";

const COMMAND = '{ tool: execute_command, input: { command: "echo one; echo two" } }';
const WRITE = "{ tool: write_to_file, input: { path: a.txt, content: x } }";
const LONG = "{ text: { repeat: All work and no play. , times: 200 } }";

/** A tool without arguments that does what the test says. */
const toolOf = (
  name: string,
  run: (ports: RunPorts) => Promise<void>,
  more: Partial<Pick<Tool, "ask" | "effect">> = {},
): Tool =>
  defineTool({
    name,
    description: "A test's tool.",
    inputSchema: z.object({}),
    effect: "reads",
    ...more,
    execute: async (_, ports) => {
      await run(ports);
      return "Done.";
    },
  });

async function all(events: AsyncIterable<TaskStreamEvent>): Promise<TaskStreamEvent[]> {
  const read: TaskStreamEvent[] = [];
  for await (const event of events) read.push(event);
  return read;
}

const textOf = (events: readonly TaskStreamEvent[], type: "text" | "thinking" | "tool.output"): string =>
  events.flatMap((event) => (event.type === type ? [event.text] : [])).join("");

test("a stream has the model's text and thinking, the tool calls with their output, the states and the result", async () => {
  await using rig = await openRig({
    script: `[[{ thinking: I try it. }, { text: I run it. }, ${COMMAND}], { text: It works. }]`,
    policy: allowEverything(),
  });
  const events = await all(rig.task.stream("Try it"));
  expect(textOf(events, "thinking")).toBe("I try it.");
  expect(textOf(events, "text")).toBe("I run it.It works.");
  expect(textOf(events, "tool.output")).toBe("one\ntwo\n");
  expect(events.filter(({ type }) => type.startsWith("tool.")).map(({ type }) => type)).toEqual([
    "tool.started",
    "tool.output",
    "tool.finished",
  ]);
  expect(events.find(({ type }) => type === "tool.started")).toMatchObject({ name: "execute_command" });
  expect(events.flatMap((event) => (event.type === "state" ? [event.state] : []))).toEqual([
    "running",
    "streaming",
    "running",
    "streaming",
    "idle",
  ]);
  expect(events.at(-1)).toMatchObject({ type: "result", end: { result: "It works." } });
});

test("a reader answers the asks of a stream; the ask that the task rests on is in the result", async () => {
  await using rig = await openRig({ script: `[${WRITE}, { text: Done. }, { text: More. }]` });
  const kinds: string[] = [];
  for await (const event of rig.task.stream("Write it")) {
    if (event.type !== "ask") continue;
    kinds.push(event.ask.kind);
    if (event.ask.kind === "tool") event.ask.approve();
  }
  expect(kinds).toEqual(["tool"]);
  expect(await all(rig.task.stream("And more"))).toMatchObject([
    { type: "state", state: "streaming" },
    { type: "text", text: "More." },
    { type: "state", state: "idle" },
    { type: "result", end: { ask: "completion", result: "More." } },
  ]);
});

test("deltas of one message wait as one for a slow reader, and nothing is lost", async () => {
  await using rig = await openRig({ script: `[[${LONG}]]`, llm: { frameMs: 0 } });
  const events = rig.task.stream("Write");
  const first = await events.next();
  await rig.task.settled();
  const rest = await all(events);
  expect(first.value).toMatchObject({ type: "state", state: "running" });
  expect(rest.filter(({ type }) => type === "text")).toHaveLength(1);
  expect(textOf(rest, "text")).toBe(
    rig.task.log.toArray().find(({ say }, at) => at > 0 && say === "text")?.text,
  );
});

test("statuses of two calls that come in turn wait as one of each, the newest", async () => {
  const next = { a: deferred(), b: deferred() };
  const isOver = deferred();
  const reports = (name: "a" | "b"): Tool =>
    toolOf(name, async ({ progress }) => {
      progress({ text: `${name}1` });
      await next[name].promise;
      progress({ text: `${name}2` });
      await isOver.promise;
    });
  await using rig = await openRig({
    script: "[[{ tool: a, input: {} }, { tool: b, input: {} }], { text: Done. }]",
    tools: [reports("a"), reports("b")],
    policy: allowEverything(),
  });
  const recorded: (string | undefined)[] = [];
  rig.task.events$.subscribe(({ commit: { cause } }) => {
    if (cause?.type !== "tool.progress") return;
    recorded.push(cause.status.text);
    if (recorded.length === 2) next.a.resolve();
    if (recorded.length === 3) next.b.resolve();
    if (recorded.length === 4) isOver.resolve();
  });
  const events = rig.task.stream("Report");
  await events.next();
  await rig.task.settled();
  const rest = await all(events);
  expect(recorded.slice(2)).toEqual(["a2", "b2"]);
  expect(
    rest.flatMap((event) => (event.type === "tool.progress" ? [event.status.text] : [])).toSorted(),
  ).toEqual(["a2", "b2"]);
});

test("a stream has the output of a command that continues in the background, and its end", async () => {
  const isContinued = deferred();
  const isOver = deferred();
  const command = toolOf(
    "command",
    async ({ output }) => {
      output("one\n");
      await isContinued.promise;
      output("two\n");
      isOver.resolve();
    },
    { ask: "command", effect: "executes" },
  );
  const wait = toolOf("wait", async () => {
    isContinued.resolve();
    await isOver.promise;
  });
  await using rig = await openRig({
    script: "[{ tool: command, input: {} }, { tool: wait, input: {} }, { text: Done. }]",
    tools: [command, wait],
    policy: allowEverything(),
  });
  const events: TaskStreamEvent[] = [];
  for await (const event of rig.task.stream("Run")) {
    events.push(event);
    if (event.type === "ask" && event.ask.kind === "command_output") event.ask.approve();
  }
  const started = events.find((event) => event.type === "tool.started");
  const ofCommand = events.filter((event) => "callId" in event && event.callId === started?.callId);
  expect(textOf(ofCommand, "tool.output")).toBe("one\ntwo\n");
  expect(ofCommand.at(-1)?.type).toBe("tool.finished");
});

test("a reader that leaves the loop does not cancel the task", async () => {
  await using rig = await openRig({ script: `[${WRITE}, { text: Done. }]` });
  for await (const event of rig.task.stream("Write it")) if (event.type === "ask") break;
  const end = rig.task.settled();
  (await rig.ask("tool")).approve();
  expect(await end).toMatchObject({ result: "Done." });
});

test("an abort of the signal cancels the task, and the stream ends with where it settles", async () => {
  await using rig = await openRig({ script: `[${WRITE}, { text: Done. }]` });
  const abort = new AbortController();
  const events: TaskStreamEvent[] = [];
  for await (const event of rig.task.stream("Write it", { signal: abort.signal })) {
    events.push(event);
    if (event.type === "ask") abort.abort();
  }
  expect(events.at(-1)).toMatchObject({ type: "result", end: { state: "resumable" } });
});

test("a stream that can't start fails with the error of `run`", async () => {
  await using rig = await openRig({ script: "[{ text: Done. }]" });
  await expect(all(rig.task.stream())).rejects.toMatchObject({ code: "OPTION_INVALID" });
});

const callsIn = (events: readonly TaskStreamEvent[]) =>
  events.filter((event) => event.type === "tool.started" || event.type === "tool.finished");

test("a stream has the arguments of each call, its outcome and its result", async () => {
  await using rig = await openRig({
    script: `[${COMMAND}, { tool: read_file, input: { path: missing.txt } }, { text: Done. }]`,
    policy: allowEverything(),
  });
  const callId = expect.any(String);
  const path = [rig.task.id];
  expect(callsIn(await all(rig.task.stream("Try it")))).toEqual([
    {
      type: "tool.started",
      callId,
      name: "execute_command",
      input: { command: "echo one; echo two" },
      path,
    },
    {
      type: "tool.finished",
      callId,
      name: "execute_command",
      outcome: "done",
      result: [{ type: "text", text: expect.stringContaining("one") }],
      path,
    },
    expect.objectContaining({ type: "tool.started", name: "read_file", input: { path: "missing.txt" } }),
    expect.objectContaining({ type: "tool.finished", name: "read_file", outcome: "failed" }),
  ]);
});

test("a call that a rule denies, and one that a person rejects, is an event of the stream", async () => {
  await using denied = await openRig({
    script: `[${WRITE}, { text: Done. }]`,
    policy: () => ({ kind: "deny", rule: "no writes", reason: "The shop is closed." }),
  });
  const input = { path: "a.txt", content: "x" };
  expect(callsIn(await all(denied.task.stream("Write it")))).toMatchObject([
    {
      type: "tool.finished",
      name: "write_to_file",
      outcome: "denied",
      result: [{ type: "text" }],
      input,
      denial: {
        by: { rule: "no writes" },
        message: 'write_to_file: denied by the rule "no writes": The shop is closed.',
      },
    },
  ]);
  await using rejected = await openRig({ script: `[${WRITE}, { text: Done. }]` });
  rejected.task.asks$.subscribe((ask) => ask.kind === "tool" && ask.reject());
  expect(callsIn(await all(rejected.task.stream("Write it")))).toMatchObject([
    { type: "tool.finished", name: "write_to_file", outcome: "rejected", input },
  ]);
});

test("a call that a hook denies, also one whose message was never shown, has its input and the hook", async () => {
  await using rig = await openRig({
    script: `[[${WRITE}, ${COMMAND}], { text: Done. }]`,
    policy: allowEverything(),
    hooks: [{ name: "guard", beforeTool: () => ({ kind: "deny", reason: "Not today." }) }],
  });
  expect(callsIn(await all(rig.task.stream("Write it")))).toMatchObject([
    { name: "write_to_file", input: { path: "a.txt", content: "x" }, denial: { by: { hook: "guard" } } },
    { name: "execute_command", input: { command: "echo one; echo two" }, denial: { by: { hook: "guard" } } },
  ]);
});

test("a call that was started has its input in its start only", async () => {
  await using rig = await openRig({
    script: `[${COMMAND}, { text: Done. }]`,
    policy: allowEverything(),
    hooks: [{ name: "guard", afterTool: () => ({ kind: "deny", reason: "Too long." }) }],
  });
  const [, finished] = callsIn(await all(rig.task.stream("Run it")));
  expect(finished).toMatchObject({ outcome: "denied", denial: { by: { hook: "guard" } } });
  expect(finished).not.toHaveProperty("input");
});

test("a cancel finishes the running call as cancelled", async () => {
  const started = deferred();
  const waits = toolOf("wait", async ({ signal }) => {
    started.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  await using rig = await openRig({
    script: "[{ tool: wait, input: {} }]",
    tools: [waits],
    policy: allowEverything(),
  });
  const events = all(rig.task.stream("Wait"));
  await started.promise;
  rig.task.cancel();
  expect(callsIn(await events)).toMatchObject([
    { type: "tool.started", name: "wait" },
    { type: "tool.finished", name: "wait", outcome: "cancelled", result: [] },
  ]);
});

test("the events of a subtask are in its parent's stream, each with its path", async () => {
  await using rig = await openRig({
    script: `rules: [
      { when: { user: Count }, turns: [[
        { text: I counted. },
        { tool: list_files, input: { path: . } },
        { tool: attempt_completion, input: { result: Three. } }
      ]] },
      { turns: [{ tool: new_task, input: { mode: code, message: Count } }, { text: Done. }] }
    ]`,
    policy: allowEverything(),
  });
  const events = await all(rig.task.stream("Help"));
  const { id } = rig.task;
  const path = [id, `${id}.1`];
  expect(callsIn(events)).toMatchObject([
    { type: "tool.started", name: "new_task", input: { message: "Count" }, childId: `${id}.1`, path: [id] },
    { type: "tool.started", name: "list_files", input: { path: "." }, path },
    { type: "tool.finished", name: "list_files", outcome: "done", path },
    { type: "tool.finished", name: "new_task", outcome: "done", path: [id] },
  ]);
  expect(events).toContainEqual(expect.objectContaining({ type: "text", text: "I counted.", path }));
  expect(events).toContainEqual({ type: "state", state: "streaming", path });
});

test("a chat page can be built from the events of a stream alone", async () => {
  await using rig = await openRig({
    script: `[[{ text: I look. }, ${WRITE}], [{ text: I run it. }, ${COMMAND}], { text: It works. }]`,
  });
  // What a page shows: bubbles of text, and a card for each call with its state, arguments and result.
  const texts = new Map<string, string>();
  const cards = new Map<string, { name: string; input: unknown; state: string }>();
  let banner: string | undefined;
  const show = (event: TaskStreamEvent): void => {
    switch (event.type) {
      case "text": {
        const key = `${event.path.join()} ${event.ts}`;
        texts.set(key, (texts.get(key) ?? "") + event.text);
        break;
      }
      case "ask":
        if (event.ask.kind === "tool") event.ask.reject();
        if (event.ask.kind === "command") event.ask.approve();
        break;
      case "tool.started":
        cards.set(event.callId, { name: event.name, input: event.input, state: "running" });
        break;
      case "tool.finished": {
        const { callId, name, outcome, input = cards.get(callId)?.input } = event;
        cards.set(callId, { name, input, state: outcome });
        break;
      }
      case "result":
        banner = event.end.error?.message ?? event.end.result;
    }
  };
  for await (const event of rig.task.stream("Try it")) show(event);
  expect([...texts.values()]).toEqual(["I look.", "I run it.", "It works."]);
  expect([...cards.values()]).toEqual([
    { name: "write_to_file", input: { path: "a.txt", content: "x" }, state: "rejected" },
    { name: "execute_command", input: { command: "echo one; echo two" }, state: "done" },
  ]);
  expect(banner).toBe("It works.");
});

test("the result of a stream has the value that the schema of `result` accepts", async () => {
  const completes = "{ tool: attempt_completion, input: { result: { files: 3 } } }";
  await using rig = await openRig({ script: `[${completes}]`, policy: allowEverything() });
  const ends: { readonly files: number }[] = [];
  for await (const event of rig.task.stream("Count", { result: z.object({ files: z.number() }) }))
    if (event.type === "result" && event.end.value !== undefined) ends.push(event.end.value);
  expect(ends).toEqual([{ files: 3 }]);
});
