import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { installed, type ScriptOptions } from "../installed.ts";
import { StreamProcess } from "./stream-process.ts";

const box = installed();

const run = (script: string, args?: readonly string[], options?: ScriptOptions): Promise<StreamProcess> =>
  StreamProcess.start(box, script, args, options);

/** The command with a prompt and nothing on its input. */
async function runOnce(
  script: string,
  ...args: readonly string[]
): Promise<{ process: StreamProcess["process"]; events: () => StreamProcess["events"] }> {
  const stream = await StreamProcess.startOnce(box, script, args);
  return { process: stream.process, events: () => stream.events };
}

const result = (text: string): string => `{ tool: attempt_completion, input: { result: ${text} } }`;
const DONE = result("All done.");
const BETTER = result("Better.");
const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const ASK = `{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: red }] } }`;
/** A command that runs until a test lets it go. */
const GATE = `{ tool: execute_command, input: { command: "mkfifo gate && echo begun && cat gate" } }`;
const IMAGE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

const begun = async (stream: StreamProcess, prompt = "Go"): Promise<void> => {
  stream.send("start", "s", { prompt });
  await stream.process.said('"output":"begun');
};
/** Request id and text of each result. */
const resultsOf = ({ events }: StreamProcess) =>
  events.flatMap(({ type, requestId, content }) => (type === "result" ? [[requestId, content]] : []));
/** Request ids of the prompts and of the changes of the queue, and of the results, in order. */
const turnsOf = ({ events }: StreamProcess) =>
  events.flatMap(({ type, subtype, id, content, requestId }) =>
    type === "queue" || type === "result" || (type === "user" && id !== undefined)
      ? [`${requestId}: ${type === "queue" ? subtype : content}`]
      : [],
  );
const openGate = (stream: StreamProcess): Promise<void> => writeFile(path.join(stream.workspace, "gate"), "");

describe.concurrent("commands", () => {
  test("the first line is the init event, a start is acknowledged and done once, and the end of the input ends the session", async () => {
    const stream = await run(`[${DONE}]`);
    stream.send("ping", "p");
    stream.send("start", "s", { prompt: "Go", taskId: "0190c4c2-7f0e-4c3a-9d55-3f0a4b1c2d3e" });
    await stream.done("s");
    expect(await stream.process.end()).toBe(0);
    expect(stream.events[0]).toMatchObject({ type: "system", subtype: "init", schemaVersion: 1 });
    expect(stream.events[0]?.capabilities).toEqual(expect.arrayContaining(["stdin:start", "stdin:approve"]));
    expect(stream.told("p")).toEqual(["ack accepted", "done pong"]);
    expect(stream.told("s")).toEqual(["ack accepted", "done task_completed"]);
    const [ack] = stream.events.filter(({ command, subtype }) => command === "start" && subtype === "ack");
    expect(ack).toMatchObject({ content: "starting task", taskId: "0190c4c2-7f0e-4c3a-9d55-3f0a4b1c2d3e" });
    expect(existsSync(path.join(stream.workspace, "data/tasks/0190c4c2-7f0e-4c3a-9d55-3f0a4b1c2d3e"))).toBe(
      true,
    );
    const result = stream.events.find(({ type }) => type === "result");
    expect(result).toMatchObject({ success: true, content: "All done.", done: true, requestId: "s" });
    expect(result?.cost?.inputTokens).toBeGreaterThan(0);
  });

  test("a start while a task is active is refused, and changes nothing", async () => {
    const stream = await run(`[${GATE}, ${DONE}]`);
    await begun(stream);
    stream.send("start", "s2", { prompt: "Another" });
    await stream.refused("s2");
    expect(stream.told("s2")).toEqual(["error task_busy"]);
    await openGate(stream);
    await stream.done("s");
    stream.send("start", "s3", { prompt: "Now it can" });
    expect((await stream.done("s3")).code).toBe("task_completed");
    expect(await stream.process.end()).toBe(0);
  });

  test("a message, a cancel and an answer without a task are rejected or done without effect", async () => {
    const stream = await run(`[${DONE}]`);
    stream.send("message", "m", { prompt: "Hello" });
    stream.send("cancel", "c");
    stream.send("approve", "a", { askId: 1 });
    await stream.refused("a");
    expect(stream.told("m")).toEqual(["error no_active_task"]);
    expect(stream.told("c")).toEqual(["ack accepted", "done no_active_task"]);
    expect((await stream.done("c")).success).toBe(true);
    expect(stream.told("a")).toEqual(["error no_active_task"]);
    expect(await stream.process.end()).toBe(0);
  });

  test("a shutdown without a task ends the process, with code 0, while its input is open", async () => {
    const stream = await run(`[${DONE}]`);
    stream.send("ping", "p");
    stream.send("shutdown", "x");
    expect(await stream.process.code).toBe(0);
    expect(stream.told("p")).toEqual(["ack accepted", "done pong"]);
    expect(stream.told("x")).toEqual(["ack accepted", "done shutdown_requested"]);
  });

  test("a queued message and an answer that reach the model together have their own request ids", async () => {
    const stream = await run(`[${GATE}, ${DONE}]`, ["-y", "--queue-delivery", "all"]);
    await begun(stream);
    for (const id of ["q1", "q2"]) stream.send("queue", id, { prompt: `Words of ${id}` });
    stream.send("cancel", "c");
    stream.send("message", "m", { prompt: "Go on" });
    const result = await stream.event({ type: "result" });
    expect(await stream.process.end()).toBe(0);
    const told = stream.events.filter(({ type, id }) => type === "queue" || (type === "user" && id));
    expect(told.map(({ subtype, content, requestId }) => [subtype ?? content, requestId])).toEqual([
      ["Go", "s"],
      ["enqueued", "s"],
      ["enqueued", "s"],
      ["drained", "q2"],
      ["Go on", "m"],
      ["Words of q1", "q1"],
      ["Words of q2", "q2"],
    ]);
    expect(result.requestId).toBe("q2");
  });

  test("an immediate cancel aborts the start, and a message continues the task", async () => {
    const stream = await run(`[${DONE}]`);
    stream.send("start", "s", { prompt: "Go" });
    stream.send("cancel", "c");
    stream.send("message", "m", { prompt: "Do go on" });
    const result = await stream.event({ type: "result" });
    expect(stream.told("s")).toEqual(["ack accepted", "done task_aborted"]);
    expect(stream.told("c")).toEqual(["ack accepted", "done cancel_requested"]);
    expect(stream.told("m")).toEqual(["ack accepted", "done responded"]);
    expect(result.requestId).toBe("m");
    expect(stream.bodies).toContain("Do go on");
    expect(await stream.process.end()).toBe(0);
  });

  test("a cancel terminates a running command, and later events have the cancel's request id", async () => {
    const stream = await run(`[${GATE}, ${DONE}]`);
    await begun(stream);
    stream.send("cancel", "c");
    expect((await stream.done("s")).code).toBe("task_aborted");
    const resume = await stream.event({ subtype: "resume_task" });
    expect(resume).toMatchObject({ requestId: "c", askId: resume.id });
    const told = stream.events.filter(({ type }) => type === "tool_result");
    expect(told.map(({ tool_result }) => tool_result?.output ?? "").join("")).toBe("begun\n");
    expect(told.at(-1)?.done).toBe(true);
    stream.send("cancel", "again");
    expect((await stream.done("again")).code).toBe("no_active_task");
    stream.send("approve", "a", { askId: resume.askId });
    await stream.event({ type: "result" });
    expect(stream.told("a")).toEqual(["ack accepted", "done responded"]);
    expect(await stream.process.end()).toBe(0);
  });

  test("a mode switch and an edited message reach the model; what is impossible is rejected by its code", async () => {
    const stream = await run(`[${GATE}, ${DONE}, ${BETTER}]`);
    stream.send("mode", "m0", { mode: "ask" });
    await stream.refused("m0");
    await begun(stream);
    stream.send("mode", "m1", { mode: "ask" });
    stream.send("mode", "m2", { mode: "no slug" });
    stream.send("queue", "q", { prompt: "First words" });
    const id = (await stream.done("q")).content;
    stream.send("edit", "e1", { id, prompt: "Better words", images: [IMAGE] });
    stream.send("edit", "e2", { id: "nothing", prompt: "Words" });
    stream.send("launch", "l", { takes: ["messageGrown"] });
    await stream.refused("l");
    await openGate(stream);
    await stream.done("s");
    expect(await stream.process.end()).toBe(0);
    const told = Object.fromEntries(
      ["m0", "m1", "m2", "e1", "e2", "l"].map((name) => [name, stream.told(name)]),
    );
    expect(told).toEqual({
      m0: ["error no_active_task"],
      m1: ["ack accepted", "done switched"],
      m2: ["error mode_refused"],
      e1: ["ack accepted", "done edited"],
      e2: ["error queued_unknown"],
      l: ["error not_offered"],
    });
    expect(stream.bodies).toContain("Better words");
    expect(stream.bodies).not.toContain("First words");
    expect(stream.bodies).toContain('"type":"image"');
    expect(stream.bodies).toContain("Current mode\\nask");
  });

  test("a proposal is emitted on demand, and amended with an approval; another form is refused", async () => {
    const write = '{ tool: write_to_file, input: { path: new.txt, content: "two\\n" } }';
    const stream = await run(`[${write}, ${DONE}]`, []);
    stream.send("start", "s", { prompt: "Go" });
    const { askId } = await stream.event({ type: "tool_use", done: true });
    stream.send("proposal", "p", { askId });
    const { proposal } = await stream.done("p");
    expect(proposal).toEqual({ kind: "file", path: "new.txt", base: "none", after: "two\n" });
    stream.send("approve", "a0", { askId, amendment: { content: 7 } });
    await stream.refused("a0");
    stream.send("approve", "a1", { askId, amendment: { content: "edited\n" } });
    await stream.done("s");
    stream.send("proposal", "late", { askId });
    await stream.refused("late");
    expect(await stream.process.end()).toBe(0);
    expect(readFileSync(path.join(stream.workspace, "new.txt"), "utf8")).toBe("edited\n");
  });

  test("a rule and a mode come with an answer, and permissions are changed; what is invalid is rejected by its code", async () => {
    const question = `{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: red }] } }`;
    const write = (name: string) => `{ tool: write_to_file, input: { path: ${name}, content: "two\\n" } }`;
    const stream = await run(`[${question}, ${write("src/a.txt")}, ${write("src/b.txt")}, ${DONE}]`, []);
    stream.send("permissions", "p0", { mode: "plan" });
    await stream.refused("p0");
    stream.send("start", "s", { prompt: "Go" });
    const asked = await stream.event({ subtype: "followup", done: true });
    stream.send("message", "m0", { prompt: "red", askId: asked.askId, mode: "nowhere" });
    await stream.refused("m0");
    stream.send("message", "m1", { prompt: "red", askId: asked.askId, mode: "code" });
    await stream.done("m1");
    stream.send("permissions", "p1", { rules: [{ level: "allow", rule: "nothing" }] });
    await stream.refused("p1");
    const call = await stream.event({ type: "tool_use", done: true });
    stream.send("approve", "a0", { askId: call.askId, rule: "nothing" });
    await stream.refused("a0");
    stream.send("approve", "a1", { askId: call.askId, rule: "edit(src/**)" });
    await stream.done("s");
    stream.send("permissions", "p2", { mode: "plan", rules: [] });
    await stream.done("p2");
    expect(await stream.process.end()).toBe(0);
    const told = Object.fromEntries(["m0", "p1", "a0", "p2"].map((name) => [name, stream.told(name).at(-1)]));
    expect(told).toEqual({
      m0: "error answer_refused",
      p1: "error permissions_refused",
      a0: "error answer_refused",
      p2: "done changed",
    });
    expect(stream.bodies).toContain("Current mode\\ncode");
    expect(existsSync(path.join(stream.workspace, "src/b.txt"))).toBe(true);
  });

  test("compact condenses the conversation before the next request; without a conversation it is rejected by its code", async () => {
    const script = `rules:
  - when: { user: "Write a summary that replaces" }
    turns: [{ text: The user greeted. }]
turns:
  - { text: "${"One. ".repeat(100)}" }
  - { text: Two. }`;
    const stream = await run(script);
    stream.send("compact", "c0");
    await stream.refused("c0");
    stream.send("start", "s", { prompt: "Hello" });
    await stream.done("s");
    stream.send("message", "m1", { prompt: "Hello again" });
    await stream.event({ type: "result", requestId: "m1" });
    stream.send("compact", "c1", { prompt: "Keep the greeting." });
    await stream.done("c1");
    stream.send("message", "m2", { prompt: "And now?" });
    await stream.event({ type: "result", requestId: "m2" });
    expect(await stream.process.end()).toBe(0);
    expect(stream.told("c0")).toEqual(["error no_active_task"]);
    expect(stream.told("c1")).toEqual(["ack accepted", "done compacting"]);
    expect(stream.bodies).toContain("Keep the greeting.");
    expect(stream.bodies).toContain("<conversation_summary>\\nThe user greeted.");
    expect(stream.events.at(0)).toMatchObject({ capabilities: expect.arrayContaining(["stdin:compact"]) });
  });

  test("with --queue-delivery all, two messages while it works are sent to the model together, in order", async () => {
    const stream = await run(`[${GATE}, ${DONE}]`, ["-y", "--queue-delivery", "all"]);
    await begun(stream);
    stream.send("message", "m1", { prompt: "First words" });
    stream.send("message", "m2", { prompt: "Second words", images: [IMAGE] });
    await stream.done("m2");
    expect(stream.told("m1")).toEqual(["ack accepted", "done queued"]);
    const enqueued = await stream.event({ type: "queue", queueDepth: 2 });
    expect(enqueued).toMatchObject({
      subtype: "enqueued",
      requestId: "s",
      content: "queue enqueued (2 items)",
    });
    expect(enqueued.queue?.[1]).toMatchObject({ text: "Second words", imageCount: 1 });
    await openGate(stream);
    await stream.done("s");
    expect(stream.events.filter(({ type }) => type === "queue").map(({ subtype }) => subtype)).toEqual([
      "enqueued",
      "enqueued",
      "drained",
    ]);
    expect(stream.bodies).toMatch(/First words.*Second words.*image\/png/);
    const said = stream.events.filter(({ type, id }) => type === "user" && id !== undefined);
    expect(said.map(({ content, requestId }) => [content, requestId])).toEqual([
      ["Go", "s"],
      ["First words", "m1"],
      ["Second words", "m2"],
    ]);
    expect(await stream.process.end()).toBe(0);
  });

  test("a message while the response streams is queued, and streamed text is complete", async () => {
    const slow = "{ text: { repeat: 'word ', times: 200 }, chunk: 50, delayMs: 150 }";
    const stream = await run(`[[${slow}, ${DONE}], ${BETTER}]`);
    stream.send("start", "s", { prompt: "Go" });
    await stream.event({ type: "assistant" });
    stream.send("message", "m", { prompt: "By the way" });
    await stream.done("m");
    await stream.event({ type: "result", content: "Better." });
    expect(stream.told("m")).toEqual(["ack accepted", "done queued"]);
    const text = stream.events.filter(({ type, subtype }) => type === "assistant" && subtype === undefined);
    const whole = text.pop();
    expect(whole).toMatchObject({ done: true, content: "word ".repeat(200) });
    expect(text.map(({ content }) => content).join("")).toBe("word ".repeat(200));
    expect(resultsOf(stream)).toEqual([
      ["s", "All done."],
      ["m", "Better."],
    ]);
    expect(await stream.process.end()).toBe(0);
  });

  test("a message to a completion is its answer: the task continues, and the start is not done twice", async () => {
    const stream = await run(`[${DONE}, ${BETTER}]`);
    stream.send("start", "s", { prompt: "Go" });
    await stream.done("s");
    stream.send("message", "m", { prompt: "Not yet" });
    await stream.event({ type: "result", content: "Better." });
    expect(stream.told("m")).toEqual(["ack accepted", "done responded"]);
    expect(stream.told("s")).toEqual(["ack accepted", "done task_completed"]);
    expect(stream.events.findLast(({ type }) => type === "result")?.requestId).toBe("m");
    expect(await stream.process.end()).toBe(0);
  });

  test("images of a start reach the model; an invalid message is rejected", async () => {
    const stream = await run(`[${ASK}, ${DONE}]`);
    stream.send("start", "s", { prompt: "Look", images: [IMAGE] });
    await stream.event({ subtype: "followup" });
    stream.send("message", "bad", { prompt: "This", images: ["no image"] });
    await stream.refused("bad");
    expect(stream.told("bad")).toEqual(["ack accepted", "error answer_refused"]);
    stream.send("message", "m", { prompt: "Red" });
    await stream.done("s");
    expect(stream.bodies).toContain("image/png");
    expect(await stream.process.end()).toBe(0);
  });

  test("a shutdown while a command runs ends both, with code 0", async () => {
    const stream = await run(`[${GATE}, ${DONE}]`);
    await begun(stream);
    stream.send("shutdown", "x");
    expect(await stream.process.code).toBe(0);
    expect(stream.told("x")).toEqual(["ack accepted", "done shutdown_requested"]);
    expect(stream.told("s")).toEqual(["ack accepted", "done task_aborted"]);
  });
});

describe.concurrent.each(["bin", "roo"] as const)("queued messages, of the program %s (QUEUE)", (program) => {
  const flags = program === "roo" ? [] : ["-y"];

  test("each continues the task on its own, with its own queue event and its own result", async () => {
    const stream = await run(`[${GATE}, ${DONE}, ${result("A.")}, ${result("B.")}]`, flags, { program });
    await begun(stream);
    for (const id of ["a", "b"]) stream.send("message", id, { prompt: `Words of ${id}` });
    await stream.done("b");
    await openGate(stream);
    await stream.event({ type: "result", content: "B." });
    expect(await stream.process.end()).toBe(0);
    expect(turnsOf(stream)).toEqual([
      "s: Go",
      "s: enqueued",
      "s: enqueued",
      "s: All done.",
      "a: dequeued",
      "a: Words of a",
      "a: A.",
      "b: drained",
      "b: Words of b",
      "b: B.",
    ]);
    expect(stream.told("s")).toEqual(["ack accepted", "done task_completed"]);
    expect(stream.told("a")).toEqual(["ack accepted", "done queued"]);
    expect(stream.told("b")).toEqual(["ack accepted", "done queued"]);
  });
});

describe.concurrent("queued messages", () => {
  test("have their results before the session ends, where the input has ended, also in a conversation of texts", async () => {
    const stream = await run(`[${GATE}, { text: Done. }, { text: A. }, { text: B. }]`);
    await begun(stream);
    for (const id of ["a", "b"]) stream.send("message", id, { prompt: `Words of ${id}` });
    stream.process.child.stdin.end();
    await stream.done("b");
    await openGate(stream);
    expect(await stream.process.code).toBe(0);
    expect(resultsOf(stream)).toEqual([
      ["s", "Done."],
      ["a", "A."],
      ["b", "B."],
    ]);
  });

  test("one that is queued at a completion continues the task", async () => {
    const stream = await run(`[${DONE}, ${BETTER}]`);
    stream.send("start", "s", { prompt: "Go" });
    await stream.done("s");
    stream.send("queue", "q", { prompt: "And this" });
    await stream.event({ type: "result", content: "Better." });
    expect(turnsOf(stream)).toEqual([
      "s: Go",
      "s: All done.",
      "q: enqueued",
      "q: drained",
      "q: And this",
      "q: Better.",
    ]);
    expect(await stream.process.end()).toBe(0);
  });

  test("are kept by a cancel, and delivered after the message that resumes", async () => {
    const stream = await run(`[${GATE}, ${DONE}, ${result("A.")}, ${result("B.")}]`);
    await begun(stream);
    for (const id of ["a", "b"]) stream.send("message", id, { prompt: `Words of ${id}` });
    stream.send("cancel", "c");
    stream.send("message", "m", { prompt: "Go on" });
    await stream.event({ type: "result", content: "B." });
    expect(await stream.process.end()).toBe(0);
    expect(stream.told("s")).toEqual(["ack accepted", "done task_aborted"]);
    expect(turnsOf(stream).slice(3)).toEqual([
      "m: Go on",
      "m: All done.",
      "a: dequeued",
      "a: Words of a",
      "a: A.",
      "b: drained",
      "b: Words of b",
      "b: B.",
    ]);
  });
});

describe.concurrent("asks that need a decision", () => {
  test("a file is written only after an approval that names its ask (L7)", async () => {
    const stream = await run(`[${WRITE}, ${DONE}]`, []);
    stream.send("start", "s", { prompt: "Go" });
    const use = await stream.event({ type: "tool_use", done: true });
    expect(use).toMatchObject({ subtype: "tool", tool_use: { name: "editedExistingFile" }, askId: use.id });
    expect(readFileSync(path.join(stream.workspace, "a.txt"), "utf8")).toBe("one\n");
    stream.send("approve", "a", { askId: use.askId });
    await stream.done("s");
    expect(stream.told("a")).toEqual(["ack accepted", "done responded"]);
    expect(readFileSync(path.join(stream.workspace, "a.txt"), "utf8")).toBe("two\n");
    expect(await stream.process.end()).toBe(0);
  });

  test("an answer to an ask that is unknown, closed or of another kind is rejected by its code and changes nothing (L8)", async () => {
    const stream = await run(`[${WRITE}, ${ASK}, ${DONE}]`, []);
    stream.send("start", "s", { prompt: "Go" });
    const { askId } = await stream.event({ type: "tool_use", done: true });
    stream.send("approve", "unknown", { askId: 7 });
    stream.send("continue", "kind", { askId });
    stream.send("reject", "r", { askId, prompt: "Leave it" });
    await stream.event({ subtype: "followup" });
    stream.send("approve", "late", { askId });
    await stream.refused("late");
    expect(stream.told("unknown")).toEqual(["error ask_unknown"]);
    expect(stream.told("kind")).toEqual(["error answer_refused"]);
    expect(stream.told("r")).toEqual(["ack accepted", "done responded"]);
    expect(stream.told("late")).toEqual(["error ask_already_answered"]);
    expect(readFileSync(path.join(stream.workspace, "a.txt"), "utf8")).toBe("one\n");
    expect(stream.bodies).toContain("Leave it");
    stream.send("shutdown", "x");
    expect(await stream.process.code).toBe(0);
  });

  test("a message to a call that needs approval is a no with text", async () => {
    const stream = await run(`[${WRITE}, ${DONE}]`, ["-a"]);
    stream.send("start", "s", { prompt: "Go" });
    await stream.event({ type: "tool_use", done: true });
    stream.send("message", "m", { prompt: "Three, not two" });
    await stream.done("s");
    expect(stream.told("m")).toEqual(["ack accepted", "done responded"]);
    expect(readFileSync(path.join(stream.workspace, "a.txt"), "utf8")).toBe("one\n");
    expect(await stream.process.end()).toBe(0);
  });

  test("a command's ask is continued or aborted by the id of the ask about its output", async () => {
    const stream = await run(`[${GATE}, ${DONE}]`);
    await begun(stream);
    const asked = stream.events.find(({ type }) => type === "tool_result");
    stream.send("abort", "b", { askId: asked?.askId });
    await stream.done("s");
    expect(stream.told("b")).toEqual(["ack accepted", "done responded"]);
    expect(await stream.process.end()).toBe(0);
  });

  test("a cancel at a failed request aborts the start; a message resumes", async () => {
    const stream = await run("[{ status: 400 }]");
    stream.send("start", "s", { prompt: "Go" });
    await stream.event({ subtype: "api_req_failed" });
    stream.send("message", "q", { prompt: "Waiting words" });
    expect((await stream.done("q")).code).toBe("queued");
    stream.send("cancel", "c");
    expect((await stream.done("s")).code).toBe("task_aborted");
    await stream.event({ subtype: "resume_task" });
    stream.send("message", "m", { prompt: "Again" });
    expect((await stream.done("m")).code).toBe("responded");
    stream.send("shutdown", "x");
    expect(await stream.process.code).toBe(0);
  });
});

describe.concurrent("the end", () => {
  test.each([
    ["{", /^stdin command line 2: expected one JSON object/],
    ["[]", /^stdin command line 2: expected a JSON object, got an array/],
    ['{"command":"fly","requestId":"f"}', /^stdin command line 2: unsupported command "fly"/],
    ['{"command":"message","requestId":"m"}', /^stdin command line 2: "message": expected "prompt"/],
  ])("the line %j ends the process with an error line and code 1", async (line, words) => {
    const stream = await run(`[${DONE}]`);
    stream.process.line("");
    stream.process.line(line);
    stream.send("ping", "never");
    expect(await stream.process.code).toBe(1);
    const [, error, ...rest] = stream.events;
    expect(error).toMatchObject({ type: "error", content: expect.stringMatching(words) });
    expect(error?.id).toBeGreaterThan(0);
    expect(rest).toEqual([]);
    expect(stream.process.stderr).toBe("");
  });

  test("an input without a command is an error", async () => {
    const stream = await run(`[${DONE}]`);
    stream.process.line("  ");
    expect(await stream.process.end()).toBe(1);
    expect(stream.events.at(-1)).toMatchObject({ type: "error", content: "no stdin command provided" });
  });

  test("the input may end while the task works: it continues to its completion", async () => {
    const stream = await run(`[${GATE}, ${DONE}]`);
    await begun(stream);
    stream.process.child.stdin.end();
    await openGate(stream);
    expect(await stream.process.code).toBe(0);
    expect(stream.told("s")).toEqual(["ack accepted", "done task_completed"]);
  });

  test.each([
    ["followup", ASK],
    ["tool", WRITE],
    ["api_req_failed", "{ status: 400 }"],
  ])("the input must not end while the task waits at %s", async (ask, turn) => {
    const stream = await run(`[${turn}]`, []);
    stream.send("start", "s", { prompt: "Go" });
    expect(await stream.process.end()).toBe(1);
    expect(stream.events.at(-1)).toMatchObject({
      type: "error",
      content: `stdin ended while task was waiting for input (${ask})`,
    });
  });

  test("the end of the input at a cancelled task is an error", async () => {
    const stream = await run(`[${GATE}]`);
    await begun(stream);
    stream.send("cancel", "c");
    expect(await stream.process.end()).toBe(1);
    expect(stream.events.at(-1)?.content).toBe("stdin ended while task was waiting for input (resume_task)");
  });

  test("with --exit-on-error a failed request ends the session", async () => {
    const stream = await run("[{ status: 529 }]", ["-y", "--exit-on-error"]);
    stream.send("start", "s", { prompt: "Go" });
    expect(await stream.process.code).toBe(1);
    expect(stream.told("s")).toEqual(["ack accepted", "done task_failed"]);
    const { type, content } = stream.events.at(-1) ?? {};
    expect(type).toBe("error");
    expect(content).toContain("the task asks api_req_failed (529 ");
  });

  test("SIGINT exits with 130; with --signal-only-exit only a signal ends the process", async () => {
    const stream = await run(`[${DONE}]`, ["-y", "--signal-only-exit"]);
    stream.send("start", "s", { prompt: "Go" });
    await stream.done("s");
    stream.process.child.stdin.end();
    stream.process.child.kill("SIGINT");
    expect(await stream.process.code).toBe(130);
  });

  test("with --signal-only-exit a process that has nothing left to do stays until a signal", async () => {
    const stream = await run(`[${DONE}]`, ["-y", "--signal-only-exit"]);
    stream.send("shutdown", "x");
    stream.process.child.stdin.end();
    await stream.done("x");
    // The time that another process takes is enough for this one to end, if it does.
    expect((await box.does("--version")).code).toBe(0);
    stream.process.child.kill("SIGTERM");
    expect(await stream.process.code).toBe(143);
  });

  test("a session is resumed: its ask is emitted, and a message resumes it", async () => {
    const first = await run(`[${GATE}]`);
    first.send("start", "s", { prompt: "Go" });
    await first.process.said('"output":"begun');
    const taskId = first.events.find(({ taskId: id }) => id !== undefined)?.taskId ?? "";
    first.send("shutdown", "x");
    expect(await first.process.code).toBe(0);
    const second = await run(`[${DONE}, ${BETTER}]`, ["-y", "--session-id", taskId], {
      workspace: first.workspace,
    });
    const resume = await second.event({ subtype: "resume_task" });
    expect(resume.askId).toBe(resume.id);
    second.send("message", "m", { prompt: "Go on" });
    await second.event({ type: "result", content: "Better." });
    expect(second.told("m")).toEqual(["ack accepted", "done responded"]);
    expect(await second.process.end()).toBe(0);
  });
});

describe.concurrent("without commands", () => {
  test("a prompt is run, emitted as events, and ends with its result", async () => {
    const { process, events } = await runOnce(`[[{ text: I begin. }, ${DONE}]]`, "-y", "Go");
    expect(await process.code).toBe(0);
    expect(events().map(({ type, content, done }) => [type, content, done])).toEqual([
      ["system", "Task started", undefined],
      ["user", "Go", true],
      ["assistant", "I begin.", undefined],
      ["assistant", "I begin.", true],
      ["result", "All done.", true],
    ]);
    expect(events()[0]?.capabilities).toEqual([]);
  });

  test("an ask that nobody can answer exits with code 1 and its name", async () => {
    const { process, events } = await runOnce(`[${WRITE}]`, "Go");
    expect(await process.code).toBe(1);
    expect(events().at(-1)).toMatchObject({
      type: "error",
      content: expect.stringContaining("the task asks tool (Overwrite a.txt"),
    });
  });
});
