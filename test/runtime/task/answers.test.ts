import { describe, expect, test } from "vitest";
import {
  approvedWithFeedback,
  denied,
  deniedWithFeedback,
  skippedAfterRejection,
  userMessage,
} from "../../../machines/conversation/notices.ts";
import { NO_USAGE } from "../../../machines/task/request.ts";
import { allowEverything } from "../../../tools/index.ts";
import { DONE, messagesOf, openRig, PIXEL, resultsOf, textsOf, writersGone } from "../../support/host.ts";
import { complete, deferred, scripted, type Turn } from "../../support/model.ts";

const write = (name: string) => `{ tool: write_to_file, input: { path: ${name}, content: "x\\n" } }`;

describe("a rejection", () => {
  const script = `[[${write("a")}, ${write("b")}, ${write("c")}], ${DONE}]`;

  test("with feedback skips the calls after it, and the model gets both", async () => {
    await using rig = await openRig({ script });
    const end = rig.task.run("Write");
    (await rig.ask("tool")).approve();
    (await rig.ask("tool")).reject({ text: "not like this" });
    await end;
    const [first = "", ...others] = resultsOf(rig.sent()[1] ?? []);
    expect(first).toContain("a");
    expect(others).toEqual([deniedWithFeedback("not like this"), skippedAfterRejection("write_to_file")]);
    expect(await rig.file("a")).toBe("x\n");
    await expect(rig.file("b")).rejects.toThrow("ENOENT");
    await expect(rig.file("c")).rejects.toThrow("ENOENT");
    expect(messagesOf(rig.task)).toContain("say:user_feedback");
  });

  test("without text gives a result that names the user's denial", async () => {
    await using rig = await openRig({ script: `[${write("a")}, ${DONE}]` });
    const end = rig.task.run("Write");
    (await rig.ask("tool")).reject();
    await end;
    expect(resultsOf(rig.sent()[1] ?? [])).toEqual([denied()]);
  });
});

test("an approval with feedback runs the call, and the model gets the feedback before the result", async () => {
  await using rig = await openRig({ script: `[${write("a")}, ${DONE}]` });
  const end = rig.task.run("Write");
  (await rig.ask("tool")).approve({ text: "good idea" });
  await end;
  const [result = ""] = resultsOf(rig.sent()[1] ?? []);
  expect(result.split("\n")[0]).toBe(approvedWithFeedback("good idea"));
  expect(await rig.file("a")).toBe("x\n");
});

test("a person's image is sent to the model, with the prompt and with feedback", async () => {
  await using rig = await openRig({ script: `[${write("a")}, ${DONE}]` });
  const end = rig.task.run("Look at this", { images: [PIXEL] });
  (await rig.ask("tool")).reject({ text: "more like this", images: [PIXEL] });
  await end;
  const [first = [], second = []] = rig.sent();
  expect(first.at(-1)?.content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
  expect(resultsOf(second)).toEqual([`${deniedWithFeedback("more like this")}\n[image]`]);
});

test("a question accepts only a reply, which is the call's result", async () => {
  const question = "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: one }] } }";
  await using rig = await openRig({ script: `[${question}, ${DONE}]`, policy: allowEverything() });
  const end = rig.task.run("Ask me");
  const ask = await rig.ask("question");
  expect(ask).toMatchObject({ question: "Which?", suggestions: [{ answer: "one" }], accepts: ["text"] });
  expect(rig.task.answer(ask.id, { kind: "yes" })).toMatchObject({ ok: false, code: "ANSWER_REFUSED" });
  expect(ask.answer("two", [PIXEL])).toEqual({ ok: true });
  expect(ask.answer("three")).toMatchObject({ ok: false, code: "ASK_ALREADY_ANSWERED" });
  await end;
  expect(resultsOf(rig.sent()[1] ?? [])).toEqual([`${userMessage("two")}\n[image]`]);
});

describe("a completion", () => {
  const script = `[${DONE}, { tool: attempt_completion, input: { result: Better. } }]`;

  test("with feedback continues the task, and the feedback is the call's result", async () => {
    await using rig = await openRig({ script });
    expect((await rig.task.run("Do it")).result).toBe("Done.");
    const ask = await rig.ask("completion");
    const end = rig.task.settled();
    expect(ask.answer("not yet")).toEqual({ ok: true });
    expect((await end).result).toBe("Better.");
    expect(resultsOf(rig.sent()[1] ?? [])).toEqual([userMessage("not yet")]);
  });

  test("is offered once; when accepted it takes only a reply, which run() sends", async () => {
    await using rig = await openRig({ script });
    const offered: string[] = [];
    rig.task.asks$.subscribe(({ kind }) => offered.push(kind));
    await rig.task.run("Do it");
    const ask = await rig.ask("completion");
    expect(ask.accepts).toEqual(["yes", "no", "text"]);
    const reports = rig.until(({ commit }) => commit.reports.length > 0);
    expect(ask.approve()).toEqual({ ok: true });
    expect(ask.approve()).toMatchObject({ ok: false, code: "ASK_ALREADY_ANSWERED" });
    expect((await reports).commit.reports).toMatchObject([{ type: "task.completed", result: "Done." }]);
    await rig.task.flushed();
    expect(offered).toEqual(["completion"]);
    expect(rig.task.asks.map(({ kind, accepts }) => ({ kind, accepts }))).toEqual([
      { kind: "completion", accepts: ["text"] },
    ]);
    const late: string[] = [];
    rig.task.asks$.subscribe(({ kind }) => late.push(kind));
    expect(late).toEqual([]);
    expect(rig.task.answer(ask.id, { kind: "yes" })).toMatchObject({ code: "ANSWER_REFUSED" });
    expect((await rig.task.run("one more thing")).result).toBe("Better.");
    expect(resultsOf(rig.sent()[1] ?? [])).toEqual([userMessage("one more thing")]);
    expect(offered).toEqual(["completion", "completion"]);
  });

  test("rejects an empty reply and stays open", async () => {
    await using rig = await openRig({ script });
    await rig.task.run("Do it");
    const ask = await rig.ask("completion");
    expect(ask.answer("  ")).toMatchObject({ ok: false, code: "ANSWER_REFUSED" });
    await expect(rig.task.run("")).rejects.toMatchObject({ code: "TASK_BUSY" });
    expect(ask.reject()).toEqual({ ok: true });
    expect((await rig.task.run("on with it")).result).toBe("Better.");
  });
});

test("asks, state and snapshot are the same objects while nothing changes", async () => {
  await using rig = await openRig({ script: `[${DONE}]` });
  await rig.task.run("Do it");
  await rig.task.flushed();
  const { asks, state, snapshot } = rig.task;
  expect(rig.task.asks).toBe(asks);
  expect(rig.task.state).toBe(state);
  expect(rig.task.snapshot).toBe(snapshot);
  rig.task.answer(asks[0]?.id ?? 0, { kind: "yes" });
  await rig.task.flushed();
  expect(rig.task.asks).not.toBe(asks);
});

describe("the queue", () => {
  test("L7: a message queued during an ask approves nothing, and is sent with the next request (field failure 1)", async () => {
    await using rig = await openRig({ script: `[${write("a")}, ${DONE}]` });
    const end = rig.task.run("Write");
    const ask = await rig.ask("tool");
    expect(rig.task.queue("yes, go ahead")).toMatchObject({ ok: true });
    await rig.task.flushed();
    expect(rig.task.state.state).toBe("waiting_for_input");
    expect(rig.task.asks.map(({ id }) => id)).toEqual([ask.id]);
    await expect(rig.file("a")).rejects.toThrow("ENOENT");
    ask.reject();
    await end;
    expect(resultsOf(rig.sent()[1] ?? [])).toEqual([denied()]);
    expect(textsOf(rig.sent()[1] ?? [])).toContain(userMessage("yes, go ahead"));
  });

  test("keeps a message sent during a response for the next request, as its own message", async () => {
    const queued = deferred();
    const talks: Turn = async function* () {
      yield { type: "text.delta", text: "I begin" };
      await queued.promise;
      yield { type: "finished", stopReason: "end_turn", usage: NO_USAGE };
    };
    await using rig = await openRig({ model: scripted([talks, () => complete()]) });
    const streams = rig.until(({ commit }) => commit.cause?.type === "llm.text.delta");
    const end = rig.task.run("Do it");
    await streams;
    rig.task.queue("and this", [PIXEL]);
    queued.resolve();
    await end;
    const [first = [], second = []] = rig.sent();
    expect(textsOf(first)).toEqual([userMessage("Do it")]);
    expect(textsOf(second)).toContain(userMessage("and this"));
    expect(second.at(-1)?.content.some(({ type }) => type === "image")).toBe(true);
    expect(messagesOf(rig.task)).toContain("say:user_feedback");
  });

  test("is feedback to a completion, which is then not offered", async () => {
    const queued = deferred();
    const talks: Turn = async function* () {
      yield { type: "text.delta", text: "Nearly" };
      await queued.promise;
      yield* complete();
    };
    await using rig = await openRig({ model: scripted([talks, () => complete("Better.")]) });
    const streams = rig.until(({ commit }) => commit.cause?.type === "llm.text.delta");
    const end = rig.task.run("Do it");
    await streams;
    rig.task.queue("wait");
    queued.resolve();
    expect((await end).result).toBe("Better.");
    const [, , results] = rig.task.snapshot.context.conversation.toArray();
    expect(resultsOf(results === undefined ? [] : [results])).toEqual([userMessage("wait")]);
    expect(
      messagesOf(rig.task).filter((message) => message.startsWith("ask:completion_result")),
    ).toHaveLength(1);
  });

  test("L14: a full queue rejects a message with its limit, and a queued message can be removed", async () => {
    await using rig = await openRig({ script: `[${write("a")}, ${DONE}]`, limits: { queued: 1 } });
    const end = rig.task.run("Write");
    const ask = await rig.ask("tool");
    const first = rig.task.queue("one");
    expect(rig.task.queue("two")).toMatchObject({
      ok: false,
      code: "QUEUE_FULL",
      message: expect.stringContaining("`queued`"),
    });
    if (first.ok) rig.task.unqueue(first.id);
    expect(rig.task.queue("three")).toMatchObject({ ok: true });
    ask.approve();
    await end;
    expect(textsOf(rig.sent()[1] ?? [])).toEqual([userMessage("three")]);
  });
});

describe("a command", () => {
  const command = (line: string) => `{ tool: execute_command, input: { command: ${JSON.stringify(line)} } }`;

  test("that continues in the background runs beside the agent, and ends with its task", async () => {
    await using rig = await openRig({
      script: `[${command("exec 9>alive; echo begun; sleep 300")}, ${DONE}]`,
      policy: allowEverything(),
    });
    let haveEnded = false;
    const allEnded = writersGone(rig.dir).then(() => {
      haveEnded = true;
    });
    const end = rig.task.run("Run");
    const ask = await rig.ask("command_output");
    await rig.until(({ commit }) => commit.cause?.type === "tool.output");
    expect(ask.approve()).toEqual({ ok: true });
    expect((await end).result).toBe("Done.");
    expect(resultsOf(rig.sent()[1] ?? [])).toEqual([expect.stringContaining("continues in the background")]);
    expect(haveEnded).toBe(false);
    await rig.host.close(rig.task.id);
    await allEnded;
  });

  test("that is aborted is terminated with its process tree, and its output is kept", async () => {
    await using rig = await openRig({
      script: `[${command("exec 9>alive; sleep 300 & echo begun; wait")}, ${DONE}]`,
      policy: allowEverything(),
    });
    const allEnded = writersGone(rig.dir);
    const end = rig.task.run("Run");
    const ask = await rig.ask("command_output");
    await rig.until(({ commit }) => commit.cause?.type === "tool.output");
    expect(ask.reject()).toEqual({ ok: true });
    await end;
    await allEnded;
    expect(resultsOf(rig.sent()[1] ?? [])).toEqual([expect.stringContaining("begun")]);
    const output = rig.task.log.toArray().find(({ say }) => say === "command_output");
    expect(output?.text).toContain("begun");
  });
});
