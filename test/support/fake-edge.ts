import type fc from "fast-check";
import type { EventObject } from "xstate";
import type { Edge } from "../../actors/protocol/edge.ts";
import { fromEvents, type Protocol, type Scope } from "../../actors/protocol/from-events.ts";
import type { Untimed } from "../../actors/protocol/released.ts";
import type { AssistantBlock } from "../../machines/conversation/entry.ts";
import { hookEnd } from "../../machines/task/hook-points.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { ActorInputs, ToolCommand } from "../../machines/task/task.setup.ts";
import type { CallAsk, Effect, Verdict } from "../../machines/tool-call/call.ts";

type Sent = Untimed<TaskEvent>;

/** One response of the model. */
export interface FakeTurn {
  readonly calls: readonly (keyof typeof FAKE_TOOLS)[];
  readonly end: "finished" | "failed" | "cut";
}

export const FAKE_TOOLS = {
  read: { ask: "tool", effect: "reads", verdict: { kind: "allow", rule: "r" } },
  write: { ask: "tool", effect: "writes", verdict: { kind: "ask" } },
  allowed: { ask: "tool", effect: "writes", verdict: { kind: "allow", rule: "r" } },
  command: { ask: "command", effect: "executes", verdict: { kind: "ask" } },
  delegate: { ask: "tool", effect: "delegates", verdict: { kind: "ask" } },
  question: { ask: "followup", effect: "asks", verdict: { kind: "ask" } },
} as const satisfies Record<string, { ask: CallAsk; effect: Effect; verdict: Verdict }>;

const USAGE = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0.01 };

/** The actors of a task. The scheduler decides the order of all their events. */
export function fakeEdge(scheduler: fc.Scheduler, turns: readonly FakeTurn[], answers: readonly boolean[]) {
  let now = 1_000;
  let asked = 0;
  let turn = 0;
  const edge: Edge = {
    clock: { now: () => now++, after: () => () => {} },
    random: () => 0.5,
    release: (start) => start(),
  };
  const turnOf = (): FakeTurn => turns[turn++] ?? { calls: [], end: "finished" };
  const steps = {
    opening: () => [{ type: "task.opened" }],
    context: ({ requestId, stopped }: ActorInputs["context"]) => [
      {
        type: "context.ready",
        requestId,
        environment: "here",
        ends: stopped.map((callId) => ({ callId, content: "uncertain" as const })),
      },
    ],
    llm: ({ requestId }: ActorInputs["llm"]) => responseOf(requestId, turnOf()),
    review: ({ callId, name, permissions: { revision } }: ActorInputs["review"]) => [
      reviewOf(callId, name, revision),
    ],
    tool: ({ callId, name }: ActorInputs["tool"]) => [
      { type: "tool.output", callId, text: "." },
      { type: "tool.progress", callId, status: { text: "half" } },
      name === "allowed"
        ? { type: "tool.failed", callId, error: "boom" }
        : { type: "tool.finished", callId, content: [{ type: "text", text: "ok" }] },
    ],
    condense: ({ requestId }: ActorInputs["condense"]) => [
      { type: "condense.started", requestId },
      { type: "condense.finished", requestId, summary: "done", usage: USAGE },
    ],
    ask: ({ askId, accepts }: ActorInputs["ask"]) => {
      const isApproved = answers[asked++ % Math.max(1, answers.length)] ?? true;
      if (accepts.includes("yes") && (isApproved || !accepts.includes("no")))
        return [{ type: "ask.answered", askId, answer: { kind: "yes" } }];
      if (accepts.includes("no")) return [{ type: "ask.answered", askId, answer: { kind: "no" } }];
      // An accepted completion takes feedback forever: the limit ends the task.
      return accepts.length === 1 && asked > 30
        ? []
        : [{ type: "ask.answered", askId, answer: { kind: "text", text: "so" } }];
    },
    timer: ({ timerId }: ActorInputs["timer"]) => [{ type: "timer.fired", timerId }],
    checkpoint: ({ callId }: ActorInputs["checkpoint"]) => [{ type: "checkpoint.saved", callId, hash: "h" }],
    subtask: ({ callId }: ActorInputs["subtask"]) => [
      { type: "subtask.ended", callId, end: { kind: "finished", result: "ok" } },
    ],
    hook: (input: ActorInputs["hook"]) => [hookEnd(input, { kind: "allow" })],
  } satisfies { [K in keyof ActorInputs]: (input: ActorInputs[K]) => readonly Sent[] };

  /** Schedules each event. The scheduled events of a stopped actor still run and must have no effect. */
  const logic = <K extends keyof ActorInputs, TIn extends EventObject = EventObject>(
    kind: K,
    plan: (input: ActorInputs[K]) => readonly Sent[],
  ) =>
    fromEvents<TIn, TaskEvent, ActorInputs[K]>(edge, {
      source: ({ input, signal }: Scope<TIn, ActorInputs[K]>) => each(plan(input), `${kind}`, signal),
      isTerminal: ({ type }) => !PROGRESS.has(type),
      failed: () => ({ type: "timer.fired", timerId: "failed" }),
    } satisfies Protocol<TIn, TaskEvent, ActorInputs[K]>);

  async function* each(plan: readonly Sent[], name: string, signal: AbortSignal): AsyncGenerator<Sent> {
    for (const event of plan) {
      await scheduler.schedule(Promise.resolve(), `${name} ${event.type}`);
      yield event;
    }
    // Wait for the stop: a source that ends without a terminal event has failed.
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  }

  return {
    now: () => now++,
    actors: {
      opening: logic("opening", steps.opening),
      context: logic("context", steps.context),
      condense: logic("condense", steps.condense),
      llm: logic("llm", steps.llm),
      review: logic("review", steps.review),
      tool: logic<"tool", ToolCommand>("tool", steps.tool),
      ask: logic("ask", steps.ask),
      timer: logic("timer", steps.timer),
      checkpoint: logic("checkpoint", steps.checkpoint),
      subtask: logic("subtask", steps.subtask),
    },
  };
}

const PROGRESS = new Set([
  "condense.started",
  "tool.output",
  "tool.progress",
  "llm.text.delta",
  "llm.text.end",
  "llm.tool.start",
  "llm.tool.end",
  "llm.usage",
]);

function responseOf(requestId: number, { calls, end }: FakeTurn): Sent[] {
  const content: AssistantBlock[] = [{ type: "text", text: "ab" }];
  const events: Sent[] = [
    { type: "llm.text.delta", requestId, index: 0, text: "a" },
    { type: "llm.text.delta", requestId, index: 0, text: "b" },
    { type: "llm.text.end", requestId, index: 0 },
  ];
  calls.forEach((name, position) => {
    const toolUseId = `t${position}`;
    const callId = `${requestId}/${toolUseId}`;
    const index = position + 1;
    content.push({ type: "tool_use", id: toolUseId, name, input: {} });
    events.push({
      type: "llm.tool.start",
      requestId,
      index,
      callId,
      toolUseId,
      name,
      ask: FAKE_TOOLS[name].ask,
    });
    if (end !== "cut") events.push({ type: "llm.tool.end", requestId, callId, input: {} });
  });
  const failure = { code: "stream_cut", message: "cut", retryable: true };
  events.push(
    end === "finished"
      ? { type: "llm.finished", requestId, stopReason: "tool_use", content, usage: USAGE }
      : { type: "llm.failed", requestId, failure, usage: USAGE, jitter: 0.5 },
  );
  return events;
}

function reviewOf(callId: string, name: string, revision: number): Sent {
  const tool = Object.entries(FAKE_TOOLS).find(([key]) => key === name)?.[1];
  if (tool === undefined)
    return { type: "call.reviewed", callId, review: { valid: false, error: "unknown" } };
  const { effect, verdict } = tool;
  const review = {
    valid: true,
    digest: callId,
    revision,
    effect,
    replayable: effect === "reads",
    text: name,
    verdict,
  } as const;
  return { type: "call.reviewed", callId, review };
}
