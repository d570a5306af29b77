import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { connect, type RemoteError, type RemoteTask } from "../../../client/index.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";

/** The other side of the pipes: what a process reads and writes. */
class Other extends EventEmitter {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly task: RemoteTask = connect(this);

  /** The commands so far. */
  get commands(): readonly Record<string, unknown>[] {
    const text = String(this.stdin.read() ?? "");
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  }

  async write(...lines: readonly unknown[]): Promise<void> {
    for (const line of lines)
      this.stdout.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
    await settled();
  }

  rows(...clineMessages: readonly ClineMessage[]): Promise<void> {
    return this.rowsOf("t", ...clineMessages);
  }

  rowsOf(taskId: string, ...clineMessages: readonly ClineMessage[]): Promise<void> {
    const message = { type: "state", state: { taskId, clineMessages } };
    return this.write({ type: "system", subtype: "message", message });
  }

  async exit(code: number): Promise<void> {
    this.stdout.end();
    await settled();
    this.emit("close", code, null);
  }
}

const ask = (ts: number, kind: string, more: Partial<ClineMessage> = {}): ClineMessage => ({
  ts,
  type: "ask",
  ask: kind,
  text: "{}",
  ...more,
});
const control = (requestId: string, subtype: string, code: string) => ({
  type: "control",
  subtype,
  requestId,
  command: "any",
  code,
  content: `it is ${code}`,
});

describe("a task in another process", () => {
  it("has the state that the messages of the process imply", async () => {
    const other = new Other();
    expect(other.task.state.state).toBe("no_task");
    await other.rows({ ts: 1, type: "say", say: "text", text: "go" }, ask(2, "tool"));
    expect(other.task.state.state).toBe("waiting_for_input");
    expect(other.task.log.map(({ ts }) => ts)).toEqual([1, 2]);
    expect(other.task.asks.map(({ id, kind }) => [id, kind])).toEqual([[2, "tool"]]);
  });

  it("an ask has what its message says about the call: command, path and diff", async () => {
    const other = new Other();
    const described = (descriptor: object): Partial<ClineMessage> => ({ text: JSON.stringify(descriptor) });
    await other.rows(ask(2, "command", { text: "echo hi" }));
    expect(other.task.asks).toMatchObject([{ command: "echo hi", paths: [] }]);
    const edit = {
      tool: "editedExistingFile",
      path: "a.txt",
      isOutsideWorkspace: false,
      content: "@@ -1,1 +1,1 @@",
    };
    await other.rows(ask(3, "tool", described(edit)));
    expect(other.task.asks).toMatchObject([
      { paths: [{ path: "a.txt", inside: true }], diff: "@@ -1,1 +1,1 @@" },
    ]);
    expect(other.task.asks[0]).not.toHaveProperty("tool");
    const read = { tool: "readFile", path: "/etc/hosts", isOutsideWorkspace: true, content: "/etc/hosts" };
    await other.rows(ask(4, "tool", described(read)));
    expect(other.task.asks).toMatchObject([{ paths: [{ path: "/etc/hosts", inside: false }] }]);
    expect(other.task.asks[0]).not.toHaveProperty("diff");
    const patch = { tool: "appliedDiff", path: "a.txt", diff: "@@ -2,1 +2,1 @@" };
    await other.rows(ask(5, "tool", described(patch)));
    expect(other.task.asks).toMatchObject([{ diff: "@@ -2,1 +2,1 @@" }]);
  });

  it("an ask has the reason of its message, and its answer takes a rule", async () => {
    const other = new Other();
    await other.rows(ask(2, "command", { text: "echo hi", reason: "no rule allows 'echo hi'" }));
    expect(other.task.asks).toMatchObject([{ reason: "no rule allows 'echo hi'", rules: [] }]);
    expect(other.task.answer(2, { kind: "yes", rule: "command(echo *)" })).toEqual({ ok: true });
    expect(other.commands).toEqual([
      { command: "approve", askId: 2, rule: "command(echo *)", requestId: "1" },
    ]);
  });

  it("an ask has the rules and the proposal that came before its message, and an amendment is sent to a process that takes it", async () => {
    const other = new Other();
    const proposal = { kind: "file", path: "a.txt", base: "none", after: "one\n" };
    const facts = { type: "askFacts", taskId: "t", askId: 2, rules: ["edit(a.txt)"], proposal };
    const capabilities = ["stdin:proposal"];
    await other.write(
      { type: "system", subtype: "init", capabilities },
      { type: "system", subtype: "message", message: facts },
    );
    await other.rows(ask(2, "tool"));
    expect(other.task.asks).toMatchObject([{ id: 2, rules: ["edit(a.txt)"], proposal }]);
    const amendment = { content: "two\n" };
    expect(other.task.answer(2, { kind: "yes", amendment })).toEqual({ ok: true });
    await settled();
    expect(other.commands).toEqual([{ command: "approve", askId: 2, amendment, requestId: "1" }]);
    await other.rows(ask(3, "tool"));
    expect(other.task.asks).toMatchObject([{ id: 3, rules: [] }]);
    expect(other.task.asks[0]).not.toHaveProperty("proposal");
  });

  it("an ask that was open before the launch has its facts after it", async () => {
    const other = new Other();
    await other.rows(ask(2, "command", { text: "echo hi" }));
    expect(other.task.asks).toMatchObject([{ rules: [] }]);
    const facts = { type: "askFacts", taskId: "t", askId: 2, rules: ["command(echo hi)"] };
    await other.write({ type: "system", subtype: "message", message: facts });
    expect(other.task.asks).toMatchObject([{ rules: ["command(echo hi)"] }]);
  });

  it("the choice of a suggestion has its mode", async () => {
    const other = new Other();
    const suggest = [{ answer: "Plan it", mode: "architect" }, { answer: "Do it" }];
    const question = { question: "Which?", suggest };
    await other.rows(ask(2, "followup", { text: JSON.stringify(question) }));
    const [followup] = other.task.asks;
    if (followup?.kind !== "question") throw new Error("Expected a question.");
    expect(followup.choose({ answer: "Plan it", mode: "architect" })).toEqual({ ok: true });
    expect(other.commands).toEqual(
      [
        { command: "message", askId: 2, prompt: "Plan it", images: [], mode: "architect", requestId: "1" },
      ].map(({ images: _, ...command }) => command),
    );
  });

  it("a completion has the result of the message before it", async () => {
    const other = new Other();
    const result: ClineMessage = { ts: 1, type: "say", say: "completion_result", text: "Done." };
    await other.rows(result, ask(2, "completion_result", { text: "" }));
    expect(other.task.asks).toMatchObject([{ text: "", result: "Done." }]);
  });

  it("has the same list of asks, state and log until they change", async () => {
    const other = new Other();
    await other.rows(ask(2, "tool"));
    const { asks, state, log } = other.task;
    const emitted: unknown[] = [];
    other.task.asks$.subscribe((one) => emitted.push(one));
    expect(emitted).toEqual([asks[0]]);
    expect(emitted[0]).toBe(asks[0]);
    await other.write({ type: "system", subtype: "queue", queueDepth: 1 });
    expect([other.task.asks, other.task.state, other.task.log]).toEqual([asks, state, log]);
    expect(other.task.asks).toBe(asks);
    expect(other.task.state).toBe(state);
    expect(other.task.log).toBe(log);
    await other.rows(ask(2, "tool", { closing: "answered" }));
    expect(other.task.asks).toEqual([]);
    expect(other.task.asks).toBe(other.task.asks);
  });

  it("sends an answer once, with the id of its ask; a second one is refused locally with a code (L8)", async () => {
    const other = new Other();
    await other.rows(ask(2, "command"));
    expect(other.task.answer(2, { kind: "yes", text: "and quickly" })).toEqual({ ok: true });
    expect(other.commands).toEqual([{ command: "approve", askId: 2, prompt: "and quickly", requestId: "1" }]);
    expect(other.task.answer(2, { kind: "no" })).toMatchObject({ code: "ASK_ALREADY_ANSWERED" });
    await other.rows(ask(2, "command", { closing: "answered" }));
    expect(other.task.answer(2, { kind: "no" })).toMatchObject({ code: "ASK_CLOSED" });
    expect(other.task.answer(3, { kind: "no" })).toMatchObject({ code: "ASK_UNKNOWN" });
    expect(other.commands).toEqual([]);
  });

  it("accepts an answer that is given while the ask is emitted", async () => {
    const other = new Other();
    const results: unknown[] = [];
    other.task.asks$.subscribe((one) => one.kind === "tool" && results.push(one.approve()));
    await other.rows(ask(2, "tool"));
    expect(results).toEqual([{ ok: true }]);
    expect(other.commands).toEqual([{ command: "approve", askId: 2, requestId: "1" }]);
  });

  it("an answer of a kind that the ask doesn't accept is refused locally, and another is still accepted", async () => {
    const other = new Other();
    await other.rows(ask(2, "followup"));
    expect(other.task.answer(2, { kind: "yes" })).toMatchObject({ code: "ANSWER_REFUSED" });
    expect(other.task.answer(2, { kind: "text", text: "blue" })).toEqual({ ok: true });
    expect(other.commands).toEqual([{ command: "message", askId: 2, prompt: "blue", requestId: "1" }]);
  });

  it("a running command is continued in the background, or terminated", async () => {
    const other = new Other();
    await other.rows(ask(2, "command_output"));
    other.task.answer(2, { kind: "no" });
    expect(other.commands).toEqual([{ command: "abort", askId: 2, requestId: "1" }]);
  });

  it("emits the refusal of an answer by the process", async () => {
    const other = new Other();
    const refused: RemoteError[] = [];
    other.task.refusals$.subscribe((error) => refused.push(error));
    await other.rows(ask(2, "tool"));
    other.task.answer(2, { kind: "yes" });
    await other.write(control("1", "error", "ask_already_answered"));
    expect(refused.map(({ code, reason }) => [code, reason])).toEqual([
      ["COMMAND_REFUSED", "ask_already_answered"],
    ]);
  });

  it("a run resolves when the task settles after its start, with the cost of the requests", async () => {
    const other = new Other();
    const run = other.task.run("go");
    expect(other.commands).toEqual([{ command: "start", prompt: "go", images: [], requestId: "1" }]);
    const request = {
      ts: 1,
      type: "say",
      say: "api_req_started",
      text: '{"tokensIn":3,"tokensOut":2,"cost":0.5}',
    };
    const result = { ts: 2, type: "say", say: "completion_result", text: "Done." };
    await other.rows(request as ClineMessage, result as ClineMessage, ask(3, "completion_result"));
    expect(await run).toMatchObject({ state: "idle", ask: "completion", result: "Done.", cost: 0.5 });
  });

  it("a subtask that rests on an ask does not settle the task: the ask is answered like any other (L16, field failure 5)", async () => {
    const other = new Other();
    const ends: unknown[] = [];
    const run = other.task.run("go").then((end) => ends.push(end.result));
    const start: ClineMessage = { ts: 1, type: "say", say: "text", text: "go" };
    await other.rows(start);
    const done = (ts: number, text: string): ClineMessage => ({
      ts,
      type: "say",
      say: "completion_result",
      text,
    });
    await other.rowsOf("t.1.1", done(2, "Two done."), ask(3, "completion_result"));
    expect(other.task.asks).toMatchObject([{ id: 3, kind: "completion" }]);
    expect(other.task.answer(3, { kind: "yes" })).toEqual({ ok: true });
    expect(ends).toEqual([]);
    await other.rows(start, done(4, "All done."), ask(5, "completion_result"));
    await run;
    expect(ends).toEqual(["All done."]);
  });

  it("a queued message is never sent as an answer (L7)", async () => {
    const other = new Other();
    await other.rows(ask(2, "tool"));
    const queued = other.task.queue("also this");
    expect(other.commands).toEqual([{ command: "queue", prompt: "also this", images: [], requestId: "1" }]);
    await other.write({ ...control("1", "done", "queued"), content: "q1" });
    expect(await queued).toEqual({ ok: true, id: "q1" });
  });

  it("every waiting call rejects when the process ends, and so does every later call", async () => {
    const other = new Other();
    const lost = expect(other.task.run("go")).rejects.toMatchObject({ code: "PROCESS_ENDED" });
    await other.exit(3);
    await lost;
    await expect(other.task.settled()).rejects.toThrow("exit code 3");
    await expect(other.task.queue("x")).rejects.toMatchObject({ code: "PROCESS_ENDED" });
    await other.task.close();
  });

  it("every waiting call rejects if the process can't be started", async () => {
    const task = connect(spawn("/no/such/command", [], { stdio: ["pipe", "pipe", "inherit"] }));
    await expect(task.run("go")).rejects.toMatchObject({
      code: "PROCESS_ENDED",
      message: expect.stringContaining("could not be started"),
    });
    await task.close();
  });

  it("a process that sends no messages is rejected with a code instead of waiting forever", async () => {
    const other = new Other();
    const run = expect(other.task.run("go")).rejects.toThrow("REMOTE_ARGUMENTS");
    await other.write({ type: "system", subtype: "init", capabilities: ["stdin:launch"] });
    await other.write(control("2", "error", "not_offered"));
    await run;
  });

  it("a line that is not an event ends the task, and the error contains the line", async () => {
    const other = new Other();
    const broken = expect(other.task.settled()).rejects.toMatchObject({ code: "LINE_INVALID" });
    await other.write("Hello, this is a text");
    await broken;
    await expect(other.task.settled()).rejects.toThrow("Hello, this is a text");
  });
});

describe("commands that an older process does not offer", () => {
  const init = (...capabilities: readonly string[]) => ({ type: "system", subtype: "init", capabilities });

  it("the mode is switched once the process has announced the command", async () => {
    const other = new Other();
    const switched = other.task.switchMode("ask");
    expect(other.commands).toEqual([]);
    await other.write(init("stdin:mode"));
    expect(other.commands).toEqual([{ command: "mode", mode: "ask", requestId: "1" }]);
    await other.write(control("1", "done", "switched"));
    expect(await switched).toEqual({ ok: true });
  });

  it("what is permitted is changed once the process has announced the command", async () => {
    const other = new Other();
    const rules = [{ level: "allow", rule: "edit(src/**)" }] as const;
    const changed = other.task.changePermissions({ level: "plan", rules });
    expect(other.commands).toEqual([]);
    await other.write(init("stdin:permissions"));
    expect(other.commands).toEqual([{ command: "permissions", mode: "plan", rules, requestId: "1" }]);
    await other.write(control("1", "done", "changed"));
    expect(await changed).toEqual({ ok: true });
    const late = other.task.changePermissions({});
    await other.write();
    await other.write(control("2", "error", "no_active_task"));
    expect(await late).toMatchObject({ ok: false, code: "TASK_CLOSED" });
  });

  it("a change that the process holds back until the answer is reported as held", async () => {
    const other = new Other();
    const changed = other.task.changePermissions({ level: "bypass" });
    await other.write(init("stdin:permissions"));
    await other.write(control("1", "done", "held"));
    expect(await changed).toEqual({ ok: true, held: true });
  });

  it("a queued message is edited, or is no longer in the queue", async () => {
    const other = new Other();
    await other.write(init("stdin:edit"));
    const edited = other.task.editQueued("q1", "sooner");
    const late = other.task.editQueued("q2", "later", []);
    await other.write();
    expect(other.commands).toEqual([
      { command: "edit", id: "q1", prompt: "sooner", requestId: "1" },
      { command: "edit", id: "q2", prompt: "later", images: [], requestId: "2" },
    ]);
    await other.write(control("1", "done", "edited"), control("2", "error", "queued_unknown"));
    expect(await edited).toEqual({ ok: true });
    expect(await late).toMatchObject({ ok: false, code: "QUEUED_UNKNOWN" });
  });

  it("the conversation is condensed once the process has announced the command", async () => {
    const other = new Other();
    const requested = other.task.compact("Keep the names.");
    expect(other.commands).toEqual([]);
    await other.write(init("stdin:compact"));
    expect(other.commands).toEqual([{ command: "compact", prompt: "Keep the names.", requestId: "1" }]);
    await other.write(control("1", "done", "compacting"));
    expect(await requested).toEqual({ ok: true });
  });

  it("a condensation without a conversation, or of a task that is gone, is a refusal", async () => {
    const other = new Other();
    await other.write(init("stdin:compact"));
    const early = other.task.compact();
    await other.write();
    expect(other.commands).toEqual([{ command: "compact", prompt: "", requestId: "1" }]);
    await other.write(control("1", "error", "task_not_started"));
    expect(await early).toEqual({
      ok: false,
      code: "TASK_NOT_STARTED",
      message: expect.stringContaining("it is task_not_started"),
    });
    for (const [requestId, code] of [
      ["2", "no_active_task"],
      ["3", "task_closed"],
    ] as const) {
      const gone = other.task.compact();
      await other.write();
      await other.write(control(requestId, "error", code));
      expect(await gone).toMatchObject({ ok: false, code: "TASK_CLOSED" });
    }
  });

  it("invalid instructions are thrown, and so is the end of the process", async () => {
    const other = new Other();
    await other.write(init("stdin:compact"));
    const wrong = expect(other.task.compact("x")).rejects.toMatchObject({
      code: "COMMAND_REFUSED",
      reason: "compact_refused",
    });
    await other.write();
    await other.write(control("1", "error", "compact_refused"));
    await wrong;
    const lost = expect(other.task.compact()).rejects.toMatchObject({ code: "PROCESS_ENDED" });
    await other.exit(0);
    await lost;
  });

  it("a command that is not offered is refused locally with a code, and not sent", async () => {
    const other = new Other();
    await other.write(init("stdin:queue"));
    await expect(other.task.switchMode("ask")).rejects.toMatchObject({
      code: "COMMAND_REFUSED",
      reason: "not_offered",
    });
    await expect(other.task.editQueued("q", "x")).rejects.toThrow("stdin:edit");
    await expect(other.task.compact()).rejects.toMatchObject({
      code: "COMMAND_REFUSED",
      reason: "not_offered",
    });
    expect(other.commands).toEqual([]);
  });

  it("an invalid slug is thrown; a missing task is a refusal", async () => {
    const other = new Other();
    await other.write(init("stdin:mode"));
    const wrong = expect(other.task.switchMode("-")).rejects.toMatchObject({ reason: "mode_refused" });
    await other.write();
    await other.write(control("1", "error", "mode_refused"));
    await wrong;
    const early = other.task.switchMode("ask");
    await other.write();
    await other.write(control("2", "error", "no_active_task"));
    expect(await early).toMatchObject({ ok: false, code: "TASK_CLOSED" });
    const lost = expect(other.task.switchMode("ask")).rejects.toMatchObject({ code: "PROCESS_ENDED" });
    await other.exit(0);
    await lost;
  });

  it("a process that offers growth is asked for it, and its deltas make up the messages", async () => {
    const other = new Other();
    await other.write(init("stdin:launch"));
    expect(other.commands).toEqual([
      { command: "launch", takes: ["messageGrown", "askFacts"], requestId: "1" },
    ]);
    await other.rows({ ts: 1, type: "say", say: "text", text: "ab", partial: true });
    const piece = { type: "messageGrown", taskId: "t", ts: 1, offset: 2, text: "c" };
    await other.write({ type: "system", subtype: "message", message: piece });
    expect(other.task.log.map(({ text }) => text)).toEqual(["abc"]);
  });
});
