import { PassThrough } from "node:stream";
import { describe, expect, test, vi } from "vitest";
import {
  AskDispatcher,
  type AskDispatcherOptions,
  OutputManager,
  PromptManager,
} from "../../../../client/index.ts";
import { FOLLOWUP_WAIT_MS } from "../../../../client/roo/console/ask-handlers.ts";
import type { Ask } from "../../../../runtime/task/ask.ts";
import { byRules } from "../../../../tools/index.ts";
import { TestClock } from "../../../actors/protocol/host.ts";
import { DONE, messagesOf, openRig, type Rig } from "../../../support/host.ts";

const QUESTION =
  "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }, { text: right }] } }";
const WRITE = '{ tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }';

/** A dispatcher over pipes and a clock of the test's. */
function desk(options: AskDispatcherOptions = {}) {
  const input = new PassThrough();
  const clock = new TestClock();
  let written = "";
  let isShown: { readonly text: string; readonly resolve: () => void } | undefined;
  const output = {
    write: (text: string) => {
      written += text;
      if (isShown !== undefined && written.includes(isShown.text)) isShown.resolve();
    },
  };
  const prompts = new PromptManager({ input, output, clock });
  const left: [string, string][] = [];
  const dispatcher = new AskDispatcher({
    clock,
    prompts,
    onLeftOpen: (ask, { why }) => left.push([ask.kind, why]),
    ...options,
  });
  /** Resolves when this has been written. */
  const shown = (text: string): Promise<void> =>
    written.includes(text) ? Promise.resolve() : new Promise((resolve) => (isShown = { text, resolve }));
  return { dispatcher, input, clock, left, shown, text: () => written };
}

const feedback = ({ task }: Rig) =>
  task.log.toArray().flatMap(({ say, text }) => (say === "user_feedback" ? [text] : []));

describe("the dispatcher", () => {
  test("asks a person about each ask once, and answers with the reply (L8)", async () => {
    await using rig = await openRig({ script: `[${WRITE}, ${QUESTION}, ${DONE}]` });
    const { dispatcher, input, shown, text } = desk();
    dispatcher.attach(rig.task);
    // Somebody who comes again is not a second one.
    dispatcher.attach(rig.task);
    dispatcher.follow(rig.host);
    const end = rig.task.run("Do it");
    await shown("Allow it?");
    input.write("y\n");
    await shown("A number");
    input.write("2\n");
    expect(await end).toMatchObject({ state: "idle", ask: "completion" });
    await shown("Enter to accept");
    const accepted = rig.until(({ commit }) => commit.after === "idle.completed");
    input.write("\n");
    await accepted;
    expect(await rig.file("a.txt")).toBe("hi\n");
    expect(feedback(rig)).toEqual(["right"]);
    expect(text().match(/Allow it\?/g)).toHaveLength(1);
  });

  test("says why it asks, without characters that a terminal interprets", async () => {
    const call = '{ tool: write_to_file, input: { path: "a\\e[8m.txt", content: "hi\\n" } }';
    const policy = byRules({ sources: [] });
    await using rig = await openRig({ script: `[${call}, ${DONE}]`, policy });
    const { dispatcher, input, shown, text } = desk();
    dispatcher.attach(rig.task);
    const end = rig.task.run("Do it");
    await shown("Allow it?");
    expect(text()).toContain(
      "Asked because no rule allows write_to_file on 'a\\u001b[8m.txt'.\nAllow it? (y/N, or what to do instead) ",
    );
    input.write("n\n");
    await end;
  });

  test("rejects a call if the input ends or a line is empty: no is the default (L7)", async () => {
    await using rig = await openRig({ script: `[${WRITE}, ${DONE}]` });
    const { dispatcher, input } = desk();
    dispatcher.attach(rig.task);
    input.end();
    await rig.task.run("Do it");
    await expect(rig.file("a.txt")).rejects.toThrow("ENOENT");
  });

  test("rejects a call with any other text as feedback", async () => {
    await using rig = await openRig({ script: `[${WRITE}, ${DONE}]` });
    const { dispatcher, input, shown } = desk();
    dispatcher.attach(rig.task);
    const end = rig.task.run("Do it");
    await shown("Allow it?");
    input.write("write b.txt\n");
    await end;
    expect(feedback(rig)).toEqual(["write b.txt"]);
  });

  test("answers a question with its first suggestion after 60 s in non-interactive mode", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
    const { dispatcher, clock } = desk({ nonInteractive: true });
    dispatcher.attach(rig.task);
    const end = rig.task.run("Do it");
    await rig.ask("question");
    clock.moveTo(1000 + FOLLOWUP_WAIT_MS - 1);
    expect(rig.task.state.state).toBe("waiting_for_input");
    clock.moveTo(1000 + FOLLOWUP_WAIT_MS);
    await end;
    expect(feedback(rig)).toEqual(["left"]);
  });

  test("stops the timer when a person answers in time, with a number or a text", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
    const { dispatcher, clock, input, shown } = desk({ nonInteractive: true });
    dispatcher.attach(rig.task);
    const end = rig.task.run("Do it");
    await shown("A number");
    expect(clock.waiting).toBe(1);
    input.write("up\n");
    await end;
    expect(clock.waiting).toBe(0);
    clock.moveTo(10 * FOLLOWUP_WAIT_MS);
    expect(feedback(rig)).toEqual(["up"]);
  });

  test.each([
    ["answered elsewhere", (ask: Ask, _rig: Rig) => ask.kind === "question" && ask.answer("there")],
    ["cancelled", (_ask: Ask, rig: Rig) => rig.task.cancel()],
  ])("stops the deadline and takes the question back when the ask is %s", async (_, leave) => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
    const onAutoAnswer = vi.fn();
    const { dispatcher, clock, shown, left } = desk({ nonInteractive: true, onAutoAnswer });
    dispatcher.attach(rig.task);
    const end = rig.task.run("Do it");
    const ask = await rig.ask("question");
    await shown("A number");
    leave(ask, rig);
    // Not shown yet, and nothing may fire any more.
    clock.moveTo(10 * FOLLOWUP_WAIT_MS);
    await end;
    expect(clock.waiting).toBe(0);
    expect(onAutoAnswer).not.toHaveBeenCalled();
    // It did not even try: nothing was refused.
    expect(left.filter(([kind]) => kind === "question")).toEqual([]);
  });

  test("stops its timers when the task is closed", async () => {
    await using rig = await openRig({ script: `[${QUESTION}]` });
    const { dispatcher, clock } = desk({ nonInteractive: true });
    dispatcher.attach(rig.task);
    const end = rig.task.run("Do it").catch(() => undefined);
    await rig.ask("question");
    expect(clock.waiting).toBe(1);
    await rig.task.close();
    await end;
    expect(clock.waiting).toBe(0);
  });

  test("lifts the limit of mistakes in non-interactive mode, up to its own limit in a row (L14)", async () => {
    const wrong = "{ tool: read_file, input: {} }";
    await using rig = await openRig({
      script: `[${wrong}, ${wrong}, ${wrong}, ${wrong}, ${DONE}]`,
      limits: { mistakes: 1 },
    });
    const { dispatcher, left } = desk({ nonInteractive: true, autoAnswersMax: 3 });
    dispatcher.attach(rig.task);
    const isAtLimit = rig.until(
      () => messagesOf(rig.task).filter((row) => row === "ask:mistake_limit_reached").length > 0,
    );
    const end = rig.task.run("Do it");
    await isAtLimit;
    await end;
    const asks = () => messagesOf(rig.task).filter((row) => row.startsWith("ask:mistake_limit_reached"));
    while (asks().length < 4) await rig.task.settled();
    await rig.task.flushed();
    expect(asks()).toEqual([
      ...Array(3).fill("ask:mistake_limit_reached (answered)"),
      "ask:mistake_limit_reached",
    ]);
    expect(left).toEqual([["mistakes", "limit"]]);
  });

  test("resumes a task that was interrupted before, but not one that a person cancels", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${QUESTION}]` });
    const { dispatcher, left } = desk({ nonInteractive: true });
    const run = rig.task.run("Do it");
    await rig.ask("question");
    rig.task.cancel();
    expect(await run).toMatchObject({ state: "resumable" });
    const resumed = rig.until(({ commit }) => commit.before === "resumable");
    dispatcher.attach(rig.task);
    await resumed;
    await rig.ask("question");
    const rest = rig.task.settled();
    rig.task.cancel();
    expect(await rest).toMatchObject({ state: "resumable" });
    await rig.ask("resume");
    expect(left).toEqual([["resume", "nobody"]]);
  });

  test("approves everything only with approveAll, and rejects if no person can be asked", async () => {
    for (const approveAll of [true, false]) {
      await using rig = await openRig({ script: `[${WRITE}, ${DONE}]` });
      new AskDispatcher({ nonInteractive: true, approveAll }).attach(rig.task);
      await rig.task.run("Do it");
      const written = rig.file("a.txt");
      if (approveAll) expect(await written).toBe("hi\n");
      else await expect(written).rejects.toThrow("ENOENT");
    }
  });

  test("passes asks to custom handlers, by kind before category, and reports the error of a handler", async () => {
    await using rig = await openRig({ script: `[${WRITE}, ${QUESTION}, ${DONE}]` });
    const routed: string[] = [];
    const errors: unknown[] = [];
    const dispatcher = new AskDispatcher({
      handlers: {
        tool: (ask) => {
          routed.push("tool");
          ask.approve();
        },
        interactive: (ask) => {
          routed.push(`interactive ${ask.kind}`);
          if (ask.kind === "question") ask.answer("here");
          throw new Error("mine");
        },
        idle: async (ask, { signal, wasOpen }) => {
          routed.push(`idle ${ask.kind} ${signal.aborted} ${wasOpen}`);
        },
      },
      onError: (error) => errors.push(error),
    });
    dispatcher.attach(rig.task);
    await rig.task.run("Do it");
    await rig.ask("completion");
    expect(routed).toEqual(["tool", "interactive question", "idle completion false false"]);
    expect(errors).toEqual([new Error("mine")]);
  });

  test("shows output and questions in order", async () => {
    await using rig = await openRig({ script: `[${WRITE}, ${QUESTION}, ${DONE}]` });
    const input = new PassThrough();
    const stdout = new PassThrough({ encoding: "utf8" });
    const output = new OutputManager({ stdout });
    const prompts = new PromptManager({ input, output });
    output.attach(rig.task);
    new AskDispatcher({ prompts }).attach(rig.task);
    let text = "";
    const lines = ["y", "2", ""];
    stdout.on("data", (piece: string) => {
      text += piece;
      // A question ends where the person is to answer.
      if (/(instead\)|answer:|missing:) $/.test(piece)) input.write(`${lines.shift()}\n`);
    });
    const accepted = rig.until(({ commit }) => commit.after === "idle.completed");
    await rig.task.run("Do it");
    await accepted;
    prompts.close();
    await output.close();
    expect(text).toMatchInlineSnapshot(`
      "[Tool Request] newFileCreated a.txt
      Asked because no rule allows write_to_file on 'a.txt'.
      Allow it? (y/N, or what to do instead) 
      [question] Which?
        1. left
        2. right
      A number, or your own answer: 
      [assistant] Done.
      [task complete]
      Enter to accept, or what is missing: 
      "
    `);
  });

  test("accepts a single ask, with a signal that withdraws it", async () => {
    const { dispatcher, shown, text } = desk();
    const answer = vi.fn(() => ({ ok: true }) as const);
    const ask = {
      kind: "resume_completed",
      type: "resume_completed_task",
      id: 1,
      text: "",
      accepts: ["text"],
      answer,
    } as const;
    const left = new AbortController();
    dispatcher.offer(ask, left.signal);
    await shown("What next?");
    left.abort();
    await shown("next? \n");
    expect(text()).toContain("next? \n");
    expect(answer).not.toHaveBeenCalled();
  });
});
