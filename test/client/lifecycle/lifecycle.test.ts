import { rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type LifecycleEvent, observeLifecycle } from "../../../client/index.ts";
import type { LifecycleEventOf } from "../../../client/lifecycle/events.ts";
import { STATUS_DELAY_MS, USAGE_THROTTLE_MS } from "../../../client/lifecycle/lifecycle.ts";
import { ASK_KINDS } from "../../../machines/message/asks.ts";
import { createHost } from "../../../runtime/host.ts";
import { allowEverything, allowSubtasks } from "../../../tools/index.ts";
import { TestClock } from "../../actors/protocol/host.ts";
import { DONE, openRig, type Rig } from "../../support/host.ts";
import { complete, scripted } from "../../support/model.ts";
import { writingSubtasks } from "../../support/parallel-script.ts";
import {
  askOf,
  Crash,
  completes,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtask,
} from "../../support/subtasks.ts";

const WRITE = '{ tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }';

/** What is told of a rig's host from now on, by a clock that the test moves. */
function watch({ host }: Pick<Rig, "host">) {
  const clock = new TestClock();
  const lifecycle = observeLifecycle(host, { clock });
  const events: LifecycleEvent[] = [];
  lifecycle.events$.subscribe((event) => events.push(event));
  return {
    clock,
    lifecycle,
    events,
    /** The names that were told, without rows and usage, which are many. */
    names: () =>
      events.flatMap(({ type, taskId }) =>
        type === "message" || type === "taskTokenUsageUpdated"
          ? []
          : [`${type} ${taskId.split(".").slice(1)}`.trim()],
      ),
    of: <K extends LifecycleEvent["type"]>(type: K): LifecycleEventOf<K>[] =>
      events.filter((event): event is LifecycleEventOf<K> => event.type === type),
    pass: (ms: number) => clock.moveTo(clock.now() + ms),
  };
}

const SUGGESTION =
  "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: Plan it, mode: architect }] } }";

describe("a switch of the mode", () => {
  test("is emitted where an answer selects the mode of its suggestion, once", async () => {
    await using rig = await openRig({ script: `[${SUGGESTION}, ${DONE}]` });
    const { of } = watch(rig);
    const run = rig.task.run("Do it");
    const question = await rig.ask("question");
    const [suggestion = { answer: "none" }] = question.suggestions;
    expect(question.choose(suggestion)).toEqual({ ok: true });
    await run;
    expect(of("taskModeSwitched")).toEqual([
      { type: "taskModeSwitched", taskId: rig.task.id, mode: "architect" },
    ]);
  });

  test("is emitted where the model switches it by a tool", async () => {
    const script = `[{ tool: switch_mode, input: { mode_slug: ask } }, ${DONE}]`;
    await using rig = await openRig({ script });
    const { of } = watch(rig);
    const run = rig.task.run("Do it");
    (await rig.ask("tool")).approve();
    await run;
    expect(of("taskModeSwitched")).toEqual([{ type: "taskModeSwitched", taskId: rig.task.id, mode: "ask" }]);
  });
});

describe("a change of the profile", () => {
  const fast = { ...scripted([() => complete()]), id: "fast", provider: "elsewhere" };
  const changed = (taskId: string, name: string, provider: string) =>
    ({ type: "providerProfileChanged", taskId, name, provider }) as const;

  test("is emitted with the provider, by hand and after the switch of the mode, and only where it is another", async () => {
    await using rig = await openRig({
      script: `[${DONE}]`,
      models: { named: { fast }, byMode: { architect: "fast" } },
    });
    const { names, of } = watch(rig);
    const { id } = rig.task;
    rig.task.selectProfile("fast");
    rig.task.selectProfile("fast");
    rig.task.switchMode("architect");
    rig.task.selectProfile("default");
    rig.task.switchMode("code");
    rig.task.switchMode("architect");
    await rig.task.flushed();
    expect(of("providerProfileChanged")).toEqual([
      changed(id, "fast", "elsewhere"),
      changed(id, "default", "anthropic"),
      changed(id, "fast", "elsewhere"),
    ]);
    expect(names().slice(-2)).toEqual(["taskModeSwitched", "providerProfileChanged"]);
  });
});

describe("the lifecycle of a task", () => {
  test("is emitted in order, from its creation to its end", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    const { names, events } = watch(rig);
    const other = await rig.host.create({ model: scripted([]), workspace: rig.dir, id: "other" });
    expect(events[0]).toEqual({
      type: "taskCreated",
      taskId: "other",
      instanceId: other.instanceId,
      isReopened: false,
    });
    await rig.task.run("Do it");
    const accepted = rig.until(({ commit }) => commit.after === "idle.completed");
    (await rig.ask("completion")).approve();
    await accepted;
    await rig.host.close(rig.task.id);
    expect(names()).toEqual([
      "taskCreated",
      "taskFocused",
      "taskStarted",
      "taskAskResponded",
      "taskCompleted",
      "taskUnfocused",
      "taskAborted",
    ]);
  });

  test("emits each message when it is created, before taskStarted, and each change", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    const { events, of } = watch(rig);
    await rig.task.run("Do it");
    expect(events[0]).toMatchObject({
      type: "message",
      action: "created",
      message: { say: "text", text: "Do it" },
    });
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(["message", "taskTokenUsageUpdated", "taskStarted"]);
    const rows = of("message");
    expect(rows.filter(({ action }) => action === "created").map(({ message }) => message.ts)).toEqual(
      rig.task.log.toArray().map(({ ts }) => ts),
    );
    const last = new Map(rows.map(({ message }) => [message.ts, message]));
    expect([...last.values()]).toEqual(rig.task.log.toArray());
  });

  test.each([
    ["taskInteractive", `[${WRITE}]`, "tool", {}],
    ["taskInteractive", `[${QUESTION}]`, "followup", {}],
    ["taskIdle", `[${DONE}]`, "completion_result", {}],
    ["taskIdle", "[{ status: 400 }]", "api_req_failed", {}],
    ["taskIdle", `[${QUESTION}]`, "auto_approval_max_req_reached", { limits: { requests: 0 } }],
  ] as const)(
    "tells %s 2 s after the ask was entered, with its id (%#)",
    async (type, script, ask, options) => {
      await using rig = await openRig({ script, ...options });
      const { of, pass, lifecycle, clock } = watch(rig);
      const run = rig.task.run("Do it").catch(() => undefined);
      const { id } = await rig.ask(ASK_KINDS[ask]);
      await rig.task.flushed();
      pass(STATUS_DELAY_MS - 1);
      expect(of(type)).toEqual([]);
      expect(lifecycle.status(rig.task.id)).toBe("running");
      pass(1);
      expect(of(type)).toEqual([{ type, taskId: rig.task.id, askId: id, ask }]);
      expect(lifecycle.status(rig.task.id)).toBe(type === "taskIdle" ? "idle" : "interactive");
      pass(10 * STATUS_DELAY_MS);
      expect(of(type)).toHaveLength(1);
      await rig.task.close();
      await run;
      expect(clock.waiting).toBe(0);
    },
  );

  test("emits neither the status of an ask that was closed within 2 s, nor taskActive", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
    const { of, pass } = watch(rig);
    const end = rig.task.run("Do it");
    (await rig.ask("question")).answer("left");
    await end;
    pass(STATUS_DELAY_MS - 1);
    pass(1);
    expect(of("taskInteractive")).toEqual([]);
    expect(of("taskActive")).toEqual([]);
    expect(of("taskIdle")).toHaveLength(1);
  });

  test("emits taskActive when an ask whose status was emitted is answered, then the answer", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
    const { names, pass, of } = watch(rig);
    const end = rig.task.run("Do it");
    const ask = await rig.ask("question");
    pass(STATUS_DELAY_MS);
    ask.answer("left");
    await end;
    expect(names()).toEqual(["taskStarted", "taskInteractive", "taskActive", "taskAskResponded"]);
    expect(of("taskAskResponded")).toEqual([
      {
        type: "taskAskResponded",
        taskId: rig.task.id,
        askId: ask.id,
        ask: "followup",
        by: "person",
        answer: "text",
      },
    ]);
  });

  test("emits an approval by a policy, whose ask was never open, and no status", async () => {
    await using rig = await openRig({ script: `[${WRITE}, ${DONE}]`, policy: allowEverything() });
    const { of, pass } = watch(rig);
    await rig.task.run("Do it");
    pass(STATUS_DELAY_MS);
    expect(of("taskAskResponded")).toMatchObject([{ ask: "tool", by: "policy", answer: "yes" }]);
    expect(of("taskInteractive")).toEqual([]);
  });

  test("emits taskAborted once on a cancel, and taskResumable 2 s later; the previous ask leaves no timer", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
    const { names, pass, clock } = watch(rig);
    const end = rig.task.run("Do it");
    await rig.ask("question");
    pass(STATUS_DELAY_MS - 1);
    rig.task.cancel();
    rig.task.cancel();
    await end;
    pass(STATUS_DELAY_MS - 1);
    expect(names()).toEqual(["taskStarted", "taskAborted"]);
    pass(1);
    expect(names()).toEqual(["taskStarted", "taskAborted", "taskResumable"]);
    const again = rig.task.settled();
    (await rig.ask("resume")).approve();
    await again;
    expect(names().slice(3)).toEqual(["taskActive", "taskAskResponded", "taskStarted"]);
    await rig.host.close(rig.task.id);
    expect(names().slice(6)).toEqual(["taskUnfocused", "taskAborted"]);
    expect(clock.waiting).toBe(0);
  });

  test("of an accepted completion has the usage, after the usage update, and no taskActive", async () => {
    await using rig = await openRig({ script: `[[${WRITE}], ${DONE}]`, policy: allowEverything() });
    const { of, events, pass } = watch(rig);
    await rig.task.run("Do it");
    pass(STATUS_DELAY_MS);
    const accepted = rig.until(({ commit }) => commit.after === "idle.completed");
    (await rig.ask("completion")).approve();
    await accepted;
    const { total } = rig.task.snapshot.context;
    expect(total.tokensOut).toBeGreaterThan(0);
    const [completed] = of("taskCompleted");
    expect(completed).toMatchObject({
      result: "Done.",
      isSubtask: false,
      tokenUsage: { totalTokensIn: total.tokensIn, totalTokensOut: total.tokensOut, totalCost: total.cost },
      toolUsage: {
        write_to_file: { attempts: 1, failures: 0 },
        attempt_completion: { attempts: 1, failures: 0 },
      },
    });
    expect(completed?.tokenUsage.contextTokens).toBeGreaterThan(0);
    expect(of("taskTokenUsageUpdated").at(-1)?.tokenUsage).toEqual(completed?.tokenUsage);
    expect(events.at(-1)).toBe(completed);
    expect(of("taskActive")).toEqual([]);
  });

  test("emits no taskIdle for a completion that was accepted within 2 s; a reply to it emits no taskStarted", async () => {
    await using rig = await openRig({ script: `[${DONE}, ${DONE}]` });
    const { names, pass } = watch(rig);
    await rig.task.run("Do it");
    pass(STATUS_DELAY_MS - 1);
    const accepted = rig.until(({ commit }) => commit.after === "idle.completed");
    (await rig.ask("completion")).approve();
    await accepted;
    pass(10 * STATUS_DELAY_MS);
    expect(names()).toEqual(["taskStarted", "taskAskResponded", "taskCompleted"]);
    await rig.task.run("And more");
    expect(names().slice(3)).toEqual(["taskAskResponded"]);
    pass(STATUS_DELAY_MS);
    expect(names().slice(4)).toEqual(["taskIdle"]);
  });

  test("emits the usage immediately, then at most every 2 s, and only if it changed", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${QUESTION}, ${DONE}]` });
    const { of, pass } = watch(rig);
    const told = () => of("taskTokenUsageUpdated").map(({ tokenUsage }) => tokenUsage.totalTokensOut);
    const end = rig.task.run("Do it");
    const first = await rig.ask("question");
    await rig.task.flushed();
    expect(told()).toEqual([0]);
    pass(USAGE_THROTTLE_MS);
    const used = rig.task.snapshot.context.total.tokensOut;
    expect(told()).toEqual([0, used]);
    pass(10 * USAGE_THROTTLE_MS);
    expect(told()).toEqual([0, used]);
    first.answer("left");
    await rig.until(({ commit }) => commit.after === "waiting_for_input.answer");
    expect(told().length).toBeGreaterThan(2);
    (await rig.ask("question")).answer("right");
    await end;
  });

  test("emits pending usage before an abort, without waiting", async () => {
    await using rig = await openRig({ script: `[${QUESTION}]` });
    const { events, of } = watch(rig);
    const end = rig.task.run("Do it");
    await rig.ask("question");
    rig.task.cancel();
    await end;
    expect(events.slice(-2).map(({ type }) => type)).toEqual(["taskTokenUsageUpdated", "taskAborted"]);
    expect(of("taskTokenUsageUpdated").at(-1)?.tokenUsage.totalTokensOut).toBe(
      rig.task.snapshot.context.total.tokensOut,
    );
  });

  test("emits each change of the queue, with its messages", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
    const { of } = watch(rig);
    const end = rig.task.run("Do it");
    const ask = await rig.ask("question");
    const { id } = rig.task.queue("one") as { readonly id: string };
    rig.task.queue("two");
    rig.task.unqueue(id);
    await rig.task.flushed();
    ask.answer("left");
    await end;
    expect(
      of("queuedMessagesUpdated").map(({ queuedMessages }) => queuedMessages.map(({ text }) => text)),
    ).toEqual([["one"], ["one", "two"], ["two"], []]);
  });

  test("emits each failed tool call once, with its name and error", async () => {
    const absent = "{ tool: read_file, input: { path: nothing.txt } }";
    await using rig = await openRig({ script: `[${absent}, { tool: read_file, input: {} }, ${DONE}]` });
    const { of } = watch(rig);
    await rig.task.run("Do it");
    expect(of("taskToolFailed")).toEqual([
      {
        type: "taskToolFailed",
        taskId: rig.task.id,
        tool: "read_file",
        error: expect.stringContaining("nothing.txt"),
      },
      {
        type: "taskToolFailed",
        taskId: rig.task.id,
        tool: "read_file",
        error: expect.stringContaining("path"),
      },
    ]);
  });

  test("of a reopened task starts again: created, focused, resumable after 2 s, started by the resume", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
    const run = rig.task.run("Do it");
    await rig.ask("question");
    rig.task.cancel();
    await run;
    await rig.host.close(rig.task.id);
    const host = createHost({ dataDir: rig.dataDir });
    const { names, pass, of } = watch({ host });
    const task = await host.open(rig.task.id, {
      model: scripted([]),
      workspace: rig.dir,
    });
    expect(names()).toEqual(["taskCreated", "taskFocused"]);
    expect(of("taskCreated")).toMatchObject([{ instanceId: task.instanceId, isReopened: true }]);
    pass(STATUS_DELAY_MS);
    expect(names().slice(2)).toEqual(["taskResumable"]);
    await host.closeAll();
    expect(names().slice(3)).toEqual(["taskUnfocused", "taskAborted"]);
  });

  test("can be observed by event name until it is unsubscribed, and completes when it is closed", async () => {
    await using rig = await openRig({ script: `[${QUESTION}]` });
    const { lifecycle, clock } = watch(rig);
    const heard: string[] = [];
    let isOver = false;
    lifecycle.events$.subscribe({ complete: () => (isOver = true) });
    const off = lifecycle.on("message", ({ message }) => heard.push(message.say ?? message.ask ?? ""));
    lifecycle.on("taskStarted", () => off());
    const run = rig.task.run("Do it");
    await rig.ask("question");
    expect(heard).toEqual(["text"]);
    expect(clock.waiting).toBeGreaterThan(0);
    lifecycle.close();
    expect(clock.waiting).toBe(0);
    expect(isOver).toBe(true);
    rig.task.cancel();
    await run;
  });
});

describe("the lifecycle of a subtask tree (L16)", () => {
  const parent = [
    { mode: "code", after: "new_task", turn: completes("All done.") },
    { mode: "code", turn: subtask("one") },
  ];

  test("emits the subtask's events in order, and its result", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(...parent, { mode: "one", turn: completes("One done.") }),
    );
    const { names, of } = watch(rig);
    await rig.task.run("Do it");
    expect(names()).toEqual([
      "taskStarted",
      "taskAskResponded",
      "taskCreated 1",
      "taskUnfocused",
      "taskFocused 1",
      "taskDelegated",
      "taskStarted 1",
      "taskAskResponded 1",
      "taskCompleted 1",
      "taskUnfocused 1",
      "taskFocused",
      "taskDelegationCompleted",
      "taskActive",
      "taskStarted",
      "taskDelegationResumed",
    ]);
    const delegation = { taskId: rig.task.id, childTaskId: `${rig.task.id}.1` };
    expect(of("taskDelegated")).toEqual([{ type: "taskDelegated", ...delegation }]);
    expect(of("taskDelegationCompleted")).toEqual([
      { type: "taskDelegationCompleted", ...delegation, summary: "One done." },
    ]);
    expect(of("taskDelegationResumed")).toEqual([{ type: "taskDelegationResumed", ...delegation }]);
    expect(of("taskCompleted")).toMatchObject([{ isSubtask: true, result: "One done." }]);
  });

  test("focuses each subtask that works, and takes the focus from it at its end", async () => {
    await using rig = await openSubtaskRig(writingSubtasks("one", "two"), { policy: allowSubtasks() });
    const { of } = watch(rig);
    const end = rig.task.run("Do it");
    const ids = [1, 2].map((number) => `${rig.task.id}.${number}`);
    const asks = await Promise.all(ids.map((id) => askOf(rig.host, id, "tool")));
    expect(
      of("taskFocused")
        .slice(-2)
        .map(({ taskId }) => taskId)
        .toSorted(),
    ).toEqual(ids);
    expect(of("taskUnfocused").map(({ taskId }) => taskId)).toEqual([rig.task.id]);
    for (const ask of asks) ask.reject();
    await end;
    expect(
      of("taskUnfocused")
        .slice(1)
        .map(({ taskId }) => taskId)
        .toSorted(),
    ).toEqual(ids);
    expect(of("taskFocused").at(-1)?.taskId).toBe(rig.task.id);
    expect(
      of("taskDelegationCompleted")
        .map(({ childTaskId }) => childTaskId)
        .toSorted(),
    ).toEqual(ids);
  });

  test("emits the end of a subtask that the parent took over when it was opened, once (LIFE-GAP-027)", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(...parent, { mode: "one", turn: completes("One done.") }),
    );
    let crash: Crash | undefined;
    rig.host.opened$.subscribe((opened) =>
      opened.events$.subscribe(({ commit }) => {
        if (commit.reports.some(({ type }) => type === "task.completed")) crash ??= new Crash(rig);
      }),
    );
    await rig.task.run("Do it");
    const delegation = { taskId: rig.task.id, childTaskId: `${rig.task.id}.1` };
    const told = async (): Promise<readonly LifecycleEvent[]> => {
      const seen: LifecycleEvent[] = [];
      const host = createHost({ dataDir: path.join(crash?.base ?? "", "data") });
      const lifecycle = observeLifecycle(host, { clock: new TestClock() });
      lifecycle.events$.subscribe((event) => seen.push(event));
      const model = scripted([() => complete("All done.")]);
      const task = await host.open(rig.task.id, {
        model,
        workspace: rig.dir,
        permissions: { judge: allowEverything() },
      });
      if (task.state.state === "resumable") await task.run();
      await host.closeAll();
      return seen.filter(({ type }) => /^taskDelegated|^taskDelegation/.test(type));
    };
    expect(await told()).toEqual([
      { type: "taskDelegationCompleted", ...delegation, summary: "One done." },
      { type: "taskDelegationResumed", ...delegation },
    ]);
    // The end is recorded: it is not told again.
    expect(await told()).toEqual([]);
    rmSync(crash?.base ?? "", { recursive: true, force: true });
  });

  test("resumes the parent when its subtask is cancelled, which is then detached", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...parent, { mode: "one", turn: QUESTION }));
    const { names } = watch(rig);
    const end = rig.task.run("Do it");
    await askOf(rig.host, `${rig.task.id}.1`, "question");
    rig.host.focus(rig.task.id)?.cancel();
    await end;
    expect(names().slice(names().indexOf("taskStarted 1"))).toEqual([
      "taskStarted 1",
      "taskAborted 1",
      "taskFocused",
      "taskActive",
      "taskStarted",
      "taskDelegationResumed",
    ]);
  });

  test("emits the events of both when the parent is cancelled", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...parent, { mode: "one", turn: QUESTION }));
    const { names, clock, pass } = watch(rig);
    const end = rig.task.run("Do it");
    await askOf(rig.host, `${rig.task.id}.1`, "question");
    rig.task.cancel();
    await end;
    await rig.host.close(rig.task.id);
    const told = names().slice(names().indexOf("taskStarted 1") + 1);
    expect(told.filter((name) => name === "taskAborted")).toHaveLength(1);
    expect(told.filter((name) => name === "taskAborted 1")).toHaveLength(1);
    expect(clock.waiting).toBe(0);
    pass(10 * STATUS_DELAY_MS);
    expect(names().slice(names().indexOf("taskStarted 1") + 1)).toEqual(told);
  });
});
