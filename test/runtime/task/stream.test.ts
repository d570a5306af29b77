import { expect, test } from "vitest";
import { z } from "zod";
import type { TaskStreamEvent } from "../../../runtime/index.ts";
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
    input: z.object({}),
    effect: "reads",
    ...more,
    run: async (_, ports) => {
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
    { type: "result", end: { ask: "completion_result", result: "More." } },
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
    if (event.type === "ask" && event.ask.kind === "command_output") event.ask.proceed();
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
