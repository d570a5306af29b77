import { describe, expect, it } from "vitest";
import { type AnyActorRef, type AnyEventObject, createActor, type EventObject, fromCallback } from "xstate";
import { type Conversation, emptyConversation } from "../../../machines/conversation/conversation.ts";
import { emptyLog } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { applyAnswer, askAboutCall, timeOutReview } from "../../../machines/task/approval.ts";
import { Change } from "../../../machines/task/change.ts";
import { abortCommand } from "../../../machines/task/command.ts";
import { ActorNotProvidedError, BrokenInvariantError } from "../../../machines/task/errors.ts";
import { initialContext } from "../../../machines/task/lifecycle.ts";
import { DEFAULT_LIMITS } from "../../../machines/task/limits.ts";
import { takeNext } from "../../../machines/task/queue.ts";
import { buildConversation } from "../../../machines/task/request.ts";
import type { ReopenedTask, TaskInput } from "../../../machines/task/task.context.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import type { ActorInputs } from "../../../machines/task/task.setup.ts";
import { moveCall } from "../../../machines/task/turn.ts";
import type { RecordedCall } from "../../../machines/tool-call/call.ts";
import { Scenario } from "../../support/scenario.ts";
import {
  asked,
  completed,
  completion,
  delegated,
  list,
  read,
  write,
} from "../../support/scenarios/setups.ts";
import { silentActors } from "../../support/silent-actors.ts";

const begun = (input: Partial<TaskInput> = {}) =>
  createActor(taskMachine.provide({ actors: silentActors }), { input: { taskId: "t", ...input } });
const contextOf = (input: Partial<TaskInput> = {}) => initialContext({ input: { taskId: "t", ...input } });

const answer: Conversation = emptyConversation.append({
  role: "assistant",
  content: [
    { type: "text", text: "I see." },
    ...["a", "b", "c"].map((id) => ({ type: "tool_use", id, name: "write", input: {} }) as const),
  ],
});
const recorded = (toolUseId: string) =>
  ({ callId: `1/${toolUseId}`, toolUseId, name: "write", ask: "tool" }) as const;
const past = (more: Partial<ReopenedTask> = {}): ReopenedTask => ({
  log: emptyLog.append({ ts: 1, type: "say", say: "text", text: "go" }),
  conversation: answer,
  queue: [],
  facts: {},
  calls: [],
  openedAt: 50,
  ...more,
});
const callsOf = (calls: readonly RecordedCall[], more: Partial<ReopenedTask> = {}) =>
  contextOf({ reopened: past({ calls, ...more }) }).turn.calls;
const settledStateOf = (last: Partial<ClineMessage>): string => {
  const log = emptyLog.append({ ts: 1, type: "ask", ...last });
  const actor = begun({ reopened: past({ log }) }).start();
  return JSON.stringify(actor.getSnapshot().value);
};

describe("a new task", () => {
  it("has the default limits, overridden by the given ones (L14)", () => {
    expect(contextOf().limits).toEqual(DEFAULT_LIMITS);
    expect(contextOf({ limits: { retries: 1 } }).limits).toEqual({ ...DEFAULT_LIMITS, retries: 1 });
  });

  it("retries, takes no snapshots and is in mode `code` by default", () => {
    expect(contextOf()).toMatchObject({ autoRetry: true, checkpoints: false, mode: "code" });
    expect(contextOf({ autoRetry: false, checkpoints: true, mode: "ask" })).toMatchObject({
      autoRetry: false,
      checkpoints: true,
      mode: "ask",
    });
  });

  it("has an empty context", () => {
    const { log, conversation, ...context } = contextOf();
    expect([log.length, conversation.length]).toEqual([0, 0]);
    expect(context).toMatchObject({
      taskId: "t",
      turn: { blocks: [], cursor: 0, calls: [] },
      queue: [],
      pending: [],
      background: [],
      counters: {
        mistakes: 0,
        noToolUses: 0,
        retries: 0,
        pauses: 0,
        requests: 0,
        cost: 0,
        repeated: { digest: "", times: 0 },
      },
      retryAt: 0,
      total: { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 },
      children: 0,
    });
    expect([context.ask, context.request, context.result, context.reopening]).toEqual(
      Array(4).fill(undefined),
    );
  });

  it("is in no_task, also if reopened with an empty log", () => {
    expect(begun().start().getSnapshot().value).toBe("no_task");
    expect(
      begun({ reopened: past({ log: emptyLog }) })
        .start()
        .getSnapshot().value,
    ).toBe("no_task");
  });
});

describe("a task reopened from its journal (L11, L12)", () => {
  const content = [{ type: "text", text: "saved" }] as const;
  const feedback = { text: "mind the tabs", images: [] };

  it("takes recorded facts over its input", () => {
    const queue = [{ id: "q", text: "also", images: [] }];
    const context = contextOf({
      mode: "ask",
      reopened: past({ queue, facts: { mode: "debug", children: 2 } }),
    });
    expect(context).toMatchObject({ mode: "debug", children: 2, queue, retryAt: 0 });
    expect([context.log.length, context.conversation.length]).toEqual([1, 1]);
  });

  it("drops the calls of an incomplete response: they only read", () => {
    const call: RecordedCall = { ...recorded("z"), phase: "running", replayable: true };
    expect(callsOf([call])).toEqual([]);
    const running: RecordedCall = { ...recorded("a"), phase: "running", replayable: false };
    expect(callsOf([running], { conversation: emptyConversation })).toEqual([]);
    const spoken = answer.append({ role: "user", content: [{ type: "text", text: "a" }] });
    expect(callsOf([running], { conversation: spoken })).toEqual([]);
  });

  it("drops an asking call, except a completion", () => {
    expect(callsOf([{ ...recorded("a"), phase: "asking" }])).toEqual([]);
    const completion = { ...recorded("a"), ask: "completion_result" } as const;
    expect(callsOf([{ ...completion, row: 7, phase: "asking" }])).toEqual([
      { ...completion, row: 7, phase: "stopped", replayable: true },
    ]);
  });

  it("uses a recorded end as the result, preceded by the approval's feedback", () => {
    const call = { ...recorded("a"), phase: "stopped", replayable: true, feedback, end: content } as const;
    const approved = { type: "text", text: '{"status":"approved","feedback":"mind the tabs"}' };
    expect(callsOf([call])).toEqual([
      { ...recorded("a"), phase: "settled", outcome: { kind: "done", content: [approved, ...content] } },
    ]);
  });

  it("marks a call without a recorded end as uncertain, and a replayable one as interrupted", () => {
    const running = { ...recorded("a"), phase: "running", replayable: false, feedback } as const;
    const stopped = { ...recorded("b"), phase: "stopped", replayable: false, end: "uncertain" } as const;
    const read = { ...recorded("c"), phase: "running", replayable: true } as const;
    const [one, two, three] = callsOf([running, stopped, read]);
    expect(one).toEqual({ ...recorded("a"), phase: "stopped", replayable: false, feedback });
    expect(two).toEqual({ ...recorded("b"), phase: "stopped", replayable: false });
    expect(three).toMatchObject({ phase: "settled", outcome: { kind: "interrupted" } });
  });

  it("keeps what a person said with the approval of an interrupted call, and of one whose hooks had not ended", () => {
    const approved = { type: "text", text: '{"status":"approved","feedback":"mind the tabs"}' };
    const read = { ...recorded("a"), phase: "running", replayable: true, feedback } as const;
    const ended = {
      ...recorded("b"),
      phase: "ended",
      outcome: { kind: "failed", content },
      feedback,
    } as const;
    const [one, two] = callsOf([read, ended]);
    expect(one).toMatchObject({ outcome: { kind: "interrupted", content: [approved, expect.anything()] } });
    expect(two).toEqual({
      ...recorded("b"),
      phase: "settled",
      outcome: { kind: "failed", content: [approved, ...content] },
    });
  });

  it("keeps a settled call, and a subtask with the outcome of its own journal (L16)", () => {
    const settled = { ...recorded("a"), phase: "settled", outcome: { kind: "failed", content } } as const;
    const subtask = { ...recorded("b"), phase: "delegated", input: {}, childId: "t.1" } as const;
    const end = { kind: "cancelled" } as const;
    expect(callsOf([settled, subtask])).toEqual([settled, subtask]);
    expect(callsOf([subtask], { childEnds: new Map([["1/b", end]]) })).toEqual([{ ...subtask, end }]);
    expect(callsOf([subtask], { childEnds: new Map([["1/c", end]]) })).toEqual([subtask]);
  });

  it.each([
    [{ ask: "completion_result" }, '{"idle":"reopened"}'],
    [{ ask: "resume_completed_task" }, '{"idle":"reopened"}'],
    [{ ask: "completion_result", closing: "answered" }, '{"idle":"reopened"}'],
    [{ ask: "resume_task" }, '"resumable"'],
    [{ ask: "tool" }, '"resumable"'],
    [{ type: "say", say: "completion_result" }, '"resumable"'],
  ] as const)("settles by its last message: %j -> %s", (last, state) => {
    expect(settledStateOf(last)).toBe(state);
  });
});

describe("a task reopened with an open resume ask", () => {
  it("reports an uncertain call and asks again; the next time it keeps the ask (L11, L12)", () => {
    const scenario = asked(write).answers("yes").cancelled().crashes();
    expect(scenario.messages.slice(-3)).toEqual(["ask:resume_task", "say:error", "ask:resume_task"]);
    expect(scenario.run.view.context.log.at(-3)?.closing).toBe("withdrawn");
    const told = scenario.run.view.context.log.toArray();
    expect(scenario.crashes().run.view.context.log.toArray()).toEqual(told);
    expect(scenario.run.violations).toEqual([]);
  });

  it.each([
    ["interrupted", asked(write).cancelled()],
    ["completed", completed().crashes()],
  ] as const)("keeps the ask if every end is known (L11): %s", (_name, scenario) => {
    const log = scenario.run.view.context.log.toArray();
    expect(scenario.crashes().run.view.context.log.toArray()).toEqual(log);
  });
});

describe("a resumed task continues after yes or text (L11)", () => {
  it.each(["yes", "text"] as const)("with its subtask: %s", (kind) => {
    const scenario = delegated().crashes().answers(kind, "go on");
    expect([scenario.state, scenario.run.violations]).toEqual(["running.delegated", []]);
  });

  it.each(["yes", "text"] as const)("with its retry delay: %s", (kind) => {
    const failed = new Scenario().begun().fails({ retryable: true, retryAfterMs: 90_000 });
    const scenario = failed.crashes().answers(kind, "go on");
    expect([scenario.state, scenario.run.violations]).toEqual(["running.retrying", []]);
  });
});

describe("the review deadline of a call", () => {
  it("is the limit after the end of the response (L14)", () => {
    const deadlines: number[] = [];
    const timer = fromCallback<AnyEventObject, ActorInputs["timer"]>(({ input }) => {
      deadlines.push(input.deadline);
    });
    const actor = createActor(taskMachine.provide({ actors: { ...silentActors, timer } }), {
      input: { taskId: "t", limits: { finishingDeadlineMs: 70 } },
    }).start();
    const ids = { requestId: 2, callId: "c" };
    actor.send({ type: "task.start", at: 1, text: "go", images: [] });
    actor.send({ type: "task.opened", at: 2 });
    actor.send({ type: "context.ready", at: 3, requestId: 2, environment: "here", ends: [] });
    actor.send({ type: "llm.tool.start", at: 4, ...ids, index: 0, toolUseId: "a", name: "n", ask: "tool" });
    actor.send({ type: "llm.tool.end", at: 5, ...ids, input: {} });
    const content = [{ type: "tool_use", id: "a", name: "n", input: {} }] as const;
    const usage = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };
    actor.send({ type: "llm.finished", at: 600, requestId: 2, stopReason: "tool_use", content, usage });
    expect(deadlines).toEqual([670]);
  });
});

describe("a request of a resumed task", () => {
  it("has the end of each stopped call, and reports the unknown one as uncertain (L12)", () => {
    const scenario = new Scenario()
      .begun()
      .calls(read)
      .calls(list)
      .calls(read)
      .finishes()
      .cancelled()
      .answers("yes");
    const [first, second, third] = scenario.run.view.context.turn.calls.map(({ callId }) => callId);
    const ended = (callId = "", text = "") => ({ callId, content: [{ type: "text", text }] as const });
    scenario.send({
      type: "context.ready",
      requestId: scenario.run.view.context.request ?? 0,
      environment: "<environment/>",
      ends: [ended(third, "three"), ended(first, "one")],
    });
    const said = scenario.run.view.context.conversation.at(-1)?.content ?? [];
    const texts = said.map((block) => JSON.stringify(block));
    expect(texts.map((text) => /one|three|is uncertain|resumed|environment/.exec(text)?.[0])).toEqual([
      "one",
      "is uncertain",
      "three",
      "resumed",
      "environment",
    ]);
    const told = scenario.run.view.context.log.toArray().filter(({ say }) => say === "error");
    expect(told.map(({ callId }) => callId)).toEqual([second]);
    expect(scenario.run.violations).toEqual([]);
  });
});

describe("a reopened completed task", () => {
  it("accepts text, also without a recorded completion call", () => {
    const said = emptyConversation.append({ role: "assistant", content: [{ type: "text", text: "Done." }] });
    const log = emptyLog.append({ ts: 1, type: "ask", ask: "completion_result" });
    const actor = begun({ reopened: past({ log, conversation: said }) }).start();
    const askId = actor.getSnapshot().context.ask?.id ?? 0;
    actor.send({ type: "ask.answered", at: 90, askId, answer: { kind: "text", text: "one more thing" } });
    expect(actor.getSnapshot().value).toEqual({ streaming: "preparing" });
    expect(actor.getSnapshot().context.pending).toEqual([
      { type: "text", text: "<user_message>\none more thing\n</user_message>" },
    ]);
  });
});

describe("the recorded mode of a task", () => {
  it.each([
    ["ask", ["ask"]],
    ["code", []],
  ])("is recorded with the first message, unless it is the default: %s", (mode, told) => {
    const actor = begun({ mode });
    const modes: unknown[] = [];
    actor.on("facts.changed", ({ facts }) => "mode" in facts && modes.push(facts.mode));
    actor.start().send({ type: "task.start", at: 1, text: "go", images: [] });
    expect(modes).toEqual(told);
  });
});

describe("the actor that invoked the task", () => {
  it("is notified when the task settles, and of nothing else", () => {
    const told: EventObject[] = [];
    const listener: AnyActorRef = createActor(
      fromCallback(({ receive }) => receive((event) => told.push(event))),
    ).start();
    const actor = begun({ reportTo: listener }).start();
    actor.send({ type: "task.start", at: 1, text: "go", images: [] });
    actor.send({ type: "task.cancel", origin: "user", at: 2 });
    expect(told).toEqual([{ type: "task.rested", taskId: "t", ask: "resume_task" }]);
  });

  it("is notified of the result and the usage when the user accepts the completion", () => {
    const told: EventObject[] = [];
    const listener: AnyActorRef = createActor(
      fromCallback(({ receive }) => receive((event) => told.push(event))),
    ).start();
    const scenario = asked(completion, { reportTo: listener }).answers("yes");
    expect(scenario.state).toBe("idle.completed");
    expect(told).toEqual([
      { type: "task.rested", taskId: "t", ask: "completion_result" },
      {
        type: "task.completed",
        taskId: "t",
        result: '{"tool":"attempt_completion"}',
        usage: { tokensIn: 10, tokensOut: 5, cacheWrites: 0, cacheReads: 0, cost: 0.01 },
      },
    ]);
  });
});

describe("a defect stops the task's actor with an error", () => {
  const errorOf = (machine: typeof taskMachine): unknown => {
    const actor = createActor(machine, { input: { taskId: "t" } });
    const seen: unknown[] = [];
    actor.subscribe({ error: (error) => seen.push(error) });
    actor.start().send({ type: "task.start", at: 1, text: "go", images: [] });
    return seen[0];
  };

  it("if an actor is not provided", () => {
    const error = errorOf(taskMachine);
    expect(error).toBeInstanceOf(ActorNotProvidedError);
    expect(error).toMatchObject({
      name: "ActorNotProvidedError",
      code: "ACTOR_NOT_PROVIDED",
      message:
        'The task machine was started without its "opening" actor: call taskMachine.provide({ actors }).',
    });
  });

  it.each(Object.keys(silentActors))("that names the missing actor: %s", (name) => {
    const implemented: Readonly<Record<string, unknown>> = taskMachine.implementations.actors;
    const port = createActor(implemented[name] as typeof silentActors.opening, { input: { taskId: "t" } });
    const told: unknown[] = [];
    port.subscribe({ error: (error) => told.push(error) });
    port.start();
    expect(told).toEqual([
      expect.objectContaining({ message: expect.stringContaining(`without its "${name}" actor`) }),
    ]);
  });

  it.each([
    ["opening", { opening: silentActors.opening }],
    ["context", { opening: silentActors.opening, context: silentActors.context }],
  ] as const)("unless every started actor is provided: %s", (_name, actors) => {
    expect(errorOf(taskMachine.provide({ actors }))).toBeUndefined();
  });

  const change = () => new Change(contextOf(), { type: "task.cancel", origin: "user", at: 1 });
  const planned = { ...recorded("a"), phase: "planned", preview: "" } as const;
  it.each([
    ["an ask is posted for no call", askAboutCall, "the due call is not decided"],
    ["a review of no call takes too long", timeOutReview, "the due call is not deciding"],
    ["an approval applies to no call", applyAnswer, "the due call is not asking"],
    ["a queued message is delivered of none", takeNext, "a message is delivered from an empty queue"],
    ["the aborted command does not exist", abortCommand, "a command output ask is open and no command runs"],
    ["a request is built without a context", buildConversation, "a request is built from no context"],
    [
      "a changed call is not in the turn",
      (of: Change) => moveCall(of, planned, { type: "completed", input: {} }),
      "the call 1/a is not in the turn",
    ],
  ] as const)("if %s", (_what, act, message) => {
    expect(() => act(change())).toThrow(
      expect.objectContaining({ code: "BROKEN_INVARIANT", message: expect.stringContaining(message) }),
    );
  });

  it("if an invariant is broken", () => {
    expect(new BrokenInvariantError("two requests are open")).toMatchObject({
      name: "BrokenInvariantError",
      code: "BROKEN_INVARIANT",
      message: "Broken invariant: two requests are open. Please report this with the task's journal.",
    });
  });
});
