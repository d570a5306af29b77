import { vi } from "vitest";
import type { Change } from "../../machines/task/change.ts";
import { type TaskContext, type TaskInput, taskMachine } from "../../machines/task/index.ts";
import { type CallIn, type ToolCall, toDeciding } from "../../machines/tool-call/index.ts";
import type { Bounds } from "../../verify/index.ts";

type Machine = typeof taskMachine;
// biome-ignore lint/suspicious/noExplicitAny: a fault replaces a function of any kind.
type Module = Record<string, any>;

/** A deliberate mistake in the machine. */
export interface Fault {
  readonly name: string;
  /** The law that must notice. */
  readonly law: string;
  /** Replaces actions or guards of the machine. */
  readonly provide?: Parameters<Machine["provide"]>[0];
  /** Replaces exports of one file under machines/. */
  readonly file?: string;
  readonly replace?: (sound: Module) => Module | Promise<Module>;
  readonly input?: Partial<TaskInput>;
  readonly bounds?: Partial<Bounds>;
  /** Without the laws of macrosteps, so that what the graph shows comes to light. */
  readonly graphOnly?: true;
}

const nothing = (): void => {};
const running = ({ context }: Change) => context.turn.calls.filter(({ phase }) => phase === "running");

/** Bounds for faults that show when the process ends. */
const CRASH = { queued: 0, interruptions: 0, crashes: 1 };

/** The change, but for calls of `method` that are `ignored`. */
const deaf = (
  change: Change,
  method: keyof Change,
  ignored: (...of: readonly unknown[]) => boolean,
): Change =>
  new Proxy(change, {
    get: (of, key) => {
      const sound = bound(of, key);
      if (key !== method || typeof sound !== "function") return sound;
      return (...args: readonly unknown[]) => (ignored(...args) ? undefined : sound(...args));
    },
  });
const has = (of: unknown, key: string): boolean => typeof of === "object" && of !== null && key in of;
const withCalls = (context: TaskContext, to: (call: ToolCall) => ToolCall): TaskContext => ({
  ...context,
  turn: { ...context.turn, calls: context.turn.calls.map(to) },
});

export const FAULTS: readonly Fault[] = [
  {
    name: "an ask of a failed request that is never posted",
    law: "L1",
    provide: { actions: { askAboutFailure: nothing } },
  },
  {
    name: "a row that stands in the log and was never emitted",
    law: "L2",
    file: "task/request.ts",
    replace: () => ({
      recordUsage: (change: Change) =>
        change.set({ log: change.context.log.append({ ts: 99, type: "say", say: "text" }) }),
    }),
  },
  {
    name: "a queue that changes without a word",
    law: "L2",
    file: "task/queue.ts",
    replace: () => ({
      addToQueue: (change: Change) => change.set({ queue: [{ id: "x", text: "", images: [] }] }),
    }),
  },
  {
    name: "a partial row that is left when its answer fails",
    law: "L3",
    provide: { actions: { discardResponse: nothing } },
  },
  { name: "a request that is never closed", law: "L4", provide: { actions: { closeRequest: nothing } } },
  {
    name: "a request row that a second attempt uses again",
    law: "L4",
    file: "task/request.ts",
    replace: ({ openRequest }) => ({
      openRequest: (change: Change) => {
        const old = change.context.log.toArray().find(({ say }) => say === "api_req_started");
        if (old === undefined) return openRequest(change);
        change.amend(old.ts, { text: "{}" });
        change.set({ request: old.ts });
      },
    }),
  },
  {
    name: "output that grows whatever row is last",
    law: "L5",
    file: "task/command.ts",
    replace: () => ({ growOutput: (change: Change) => change.grow(change.context.log.at(-1)?.ts ?? 0, ".") }),
  },
  {
    name: "a forgotten tool_result",
    law: "L6",
    file: "conversation/index.ts",
    replace: ({ pairResults }) => ({
      pairResults: (...of: unknown[]) => pairResults(...of).slice(1),
      assertHistory: nothing,
    }),
  },
  {
    name: "a call that runs twice under one decision",
    law: "L7",
    file: "task/calls.ts",
    replace: ({ startCall }) => ({
      startCall: (change: Change, call: CallIn<"approved">) => {
        startCall(change, call);
        startCall(change, call);
      },
    }),
  },
  {
    name: "a call that runs under the digest of other arguments",
    law: "L7",
    file: "tool-call/index.ts",
    replace: () => ({
      toRunning: (call: CallIn<"approved">) => ({
        ...call,
        phase: "running",
        review: { ...call.review, digest: "another" },
      }),
    }),
  },
  {
    name: "a broken call that is looked at like a whole one",
    law: "L7",
    file: "task/stream.ts",
    replace: async () => {
      const { callIn, setCall } = await import("../../machines/task/turn.ts");
      return {
        breakCall: (change: Change) => {
          if (change.event.type !== "llm.tool.broken") return;
          const { callId } = change.event;
          const call = callIn(change.context, callId, "planned");
          if (call === undefined) return;
          setCall(change, toDeciding(call, {}));
          change.start("review", `review:${callId}`, { callId, name: call.name, input: {} });
        },
      };
    },
  },
  {
    name: "a queued message that approves the call that is asked about",
    law: "L7",
    file: "task/queue.ts",
    replace: ({ addToQueue }) => ({
      addToQueue: (change: Change) => {
        addToQueue(change);
        const call = change.context.turn.calls.find(({ phase }) => phase === "asking");
        if (call?.phase === "asking")
          change.emit({
            type: "decision.made",
            decision: {
              callId: call.callId,
              digest: call.review.digest,
              by: { person: true },
              at: change.event.at,
            },
          });
      },
    }),
  },
  {
    name: "an answer that is taken whatever ask it names",
    law: "L8",
    provide: {
      guards: { isYes: ({ event }) => event.type === "ask.answered" && event.answer.kind === "yes" },
    },
  },
  {
    name: "a row behind the open ask",
    law: "L8",
    file: "task/lifecycle.ts",
    replace: ({ askToResume }) => ({
      askToResume: (change: Change) => {
        askToResume(change);
        change.append({ type: "say", say: "error", text: "late" });
      },
    }),
  },
  {
    name: "an ask that a cancel leaves open",
    law: "L8",
    file: "task/asks.ts",
    replace: ({ closeAsk }) => ({
      closeAsk: (change: Change, closing: string) =>
        closing === "withdrawn" ? undefined : closeAsk(change, closing),
    }),
  },
  {
    name: "an ask that is closed twice",
    law: "L8",
    file: "task/asks.ts",
    replace: ({ closeAnsweredAsk }) => ({
      closeAnsweredAsk: (change: Change) => {
        const id = change.context.ask?.id;
        closeAnsweredAsk(change);
        if (id !== undefined) change.amend(id, { closing: "answered" });
      },
    }),
  },
  {
    name: "a tool that goes on after a cancel",
    law: "L10",
    file: "task/calls.ts",
    replace: ({ stopCalls }) => ({
      stopCalls: (change: Change) => (running(change).length > 0 ? undefined : stopCalls(change)),
    }),
  },
  {
    name: "a cancel that forgets to ask to resume",
    law: "L10",
    provide: { actions: { askToResume: nothing } },
  },
  {
    name: "a late word of another request that is taken",
    law: "L10",
    provide: { guards: { isOpenRequest: ({ event }) => "requestId" in event } },
  },
  { name: "a model actor that is never stopped", law: "L10", provide: { actions: { stopLlm: nothing } } },
  {
    name: "a mistake limit that stops nobody",
    law: "L14",
    provide: { guards: { mistakesReached: () => false } },
    input: { limits: { mistakes: 1 } },
  },
  {
    name: "retries without end",
    law: "L14",
    provide: { guards: { mayRetry: ({ event }) => event.type === "llm.failed" && event.requestId > 0 } },
    input: { limits: { retries: 1 } },
    bounds: { turns: 3 },
  },
  {
    name: "a call that starts beside a write",
    law: "ORDER",
    file: "task/execution.ts",
    replace: async ({ continueTurn }) => {
      const { startCall, approveByRule } = await import("../../machines/task/calls.ts");
      return {
        continueTurn: (change: Change) => {
          continueTurn(change);
          const next = change.context.turn.calls.find(({ phase }) => phase === "decided");
          if (next?.phase === "decided" && next.review.verdict.kind === "allow" && running(change).length > 0)
            startCall(change, approveByRule(change, next));
        },
      };
    },
    bounds: { calls: 2, blocks: 2, queued: 0, interruptions: 0 },
  },
  {
    name: "queued words that are dropped",
    law: "QUEUE",
    file: "task/queue.ts",
    replace: () => ({
      drainQueue: (change: Change) => {
        change.set({ queue: [] });
        change.emit({ type: "queue.changed", queue: [] });
      },
    }),
  },
  {
    name: "a partial row that is left when the task is opened again",
    law: "L3",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) => recover(deaf(change, "amend", (_ts, patch) => has(patch, "partial"))),
    }),
    bounds: CRASH,
  },
  {
    name: "a request that is left open when the task is opened again",
    law: "L4",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) => recover(deaf(change, "amend", (_ts, patch) => has(patch, "text"))),
    }),
    bounds: CRASH,
  },
  {
    name: "an ask that is left open when the task is opened again",
    law: "L8",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) =>
        recover(deaf(change, "amend", (_ts, patch) => has(patch, "closing") && !has(patch, "partial"))),
    }),
    bounds: CRASH,
  },
  {
    name: "an ask to resume that is withdrawn and asked again",
    law: "L11",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) => {
        const last = change.context.log.at(-1);
        if (last?.ask === "resume_task" && last.closing === undefined)
          change.amend(last.ts, { closing: "withdrawn" });
        recover(change);
      },
    }),
    bounds: { ...CRASH, crashes: 2 },
  },
  {
    name: "two asks to resume",
    law: "L11",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) => {
        recover(change);
        change.append({ type: "ask", ask: "resume_task", text: "" });
      },
    }),
    bounds: CRASH,
  },
  {
    name: "a completed task that is opened like an interrupted one",
    law: "L11",
    provide: { guards: { wasCompleted: () => false } },
    bounds: CRASH,
  },
  {
    name: "words in the queue that are gone when the task is opened again",
    law: "L11",
    file: "task/lifecycle.ts",
    replace: ({ initialContext }) => ({
      initialContext: (of: unknown) => ({ ...initialContext(of), queue: [] }),
    }),
    bounds: { ...CRASH, queued: 1 },
  },
  {
    name: "a wait for the endpoint that ends with the process",
    law: "L11",
    provide: { guards: { resumesRetryDelay: () => false } },
    bounds: CRASH,
  },
  {
    name: "words for the next request that no piece tells of",
    law: "L11",
    file: "task/commit.ts",
    replace: ({ factsIn }) => ({
      factsIn: ({ pending: _pending, ...patch }: Record<string, unknown>) => factsIn(patch),
    }),
  },
  {
    name: "a time of the next attempt that no piece tells of",
    law: "L11",
    file: "task/commit.ts",
    replace: ({ factsIn }) => ({
      factsIn: ({ retryAt: _retryAt, ...patch }: Record<string, unknown>) => factsIn(patch),
    }),
  },
  {
    name: "a settled call that no piece tells of",
    law: "L11",
    file: "task/turn.ts",
    replace: ({ setCall }) => ({
      setCall: (change: Change, call: ToolCall) =>
        setCall(
          deaf(change, "emit", (piece) => has(piece, "call") && call.phase === "settled"),
          call,
        ),
    }),
  },
  {
    name: "the end of a turn that no piece tells of",
    law: "L11",
    file: "task/turn.ts",
    replace: ({ emptyTurn }) => ({ endTurn: (change: Change) => change.set({ turn: emptyTurn }) }),
  },
  {
    name: "a call without a recorded end that counts as done",
    law: "L12",
    file: "task/lifecycle.ts",
    replace: ({ initialContext }) => ({
      initialContext: (of: unknown) =>
        withCalls(initialContext(of), (call) => {
          const outcome = { kind: "done", content: [{ type: "text", text: "ok" }] } as const;
          return call.phase === "stopped" ? { ...call, phase: "settled", outcome } : call;
        }),
    }),
    bounds: CRASH,
  },
  {
    name: "a call that only looked and is told as uncertain",
    law: "L12",
    file: "task/lifecycle.ts",
    replace: ({ initialContext }) => ({
      initialContext: (of: unknown) =>
        withCalls(initialContext(of), (call) =>
          call.phase === "settled" && call.outcome.kind === "interrupted"
            ? { ...call, phase: "stopped", replayable: false }
            : call,
        ),
    }),
    bounds: CRASH,
  },
  {
    name: "an uncertain call of which the user is told nothing",
    law: "L12",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) =>
        recover(deaf(change, "append", (row) => JSON.stringify(row).includes('"error"'))),
    }),
    bounds: CRASH,
  },
  {
    name: "an ask to go on that is kept though a call is uncertain",
    law: "L12",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) => {
        const { log, turn } = change.context;
        const last = log.at(-1);
        if (last?.ask !== "resume_task" || last.closing !== undefined) return recover(change);
        const calls = turn.calls.filter(({ phase }) => phase !== "stopped");
        change.set({ turn: { ...turn, calls } });
        recover(change);
      },
    }),
    bounds: { ...CRASH, interruptions: 1, calls: 1, tools: ["command"] },
  },
  {
    name: "a command in the background that is lost in silence",
    law: "L12",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) => {
        change.set({ background: [] });
        recover(change);
      },
    }),
    bounds: { ...CRASH, tools: ["command"] },
  },
  {
    name: "a call that runs again when the task is resumed",
    law: "L12",
    file: "task/lifecycle.ts",
    replace: ({ resume }) => ({
      resume: (change: Change) => {
        resume(change);
        const [call] = change.context.turn.calls;
        if (call?.phase === "settled" && call.outcome.kind === "uncertain")
          change.emit({ type: "effect.started", effect: "tool", id: `tool:${call.callId}` });
      },
    }),
    bounds: CRASH,
  },
  {
    name: "a subtask that goes on as another child",
    law: "L12",
    file: "task/subtask.ts",
    replace: async ({ resumeSubtask }) => {
      const { setCall } = await import("../../machines/task/turn.ts");
      return {
        resumeSubtask: (change: Change) => {
          for (const call of change.context.turn.calls)
            if (call.phase === "delegated") setCall(change, { ...call, childId: "another" });
          resumeSubtask(change);
        },
      };
    },
    bounds: { ...CRASH, tools: ["delegate"] },
  },
  {
    name: "a subtask's end that is told twice",
    law: "L16",
    file: "task/subtask.ts",
    replace: ({ settleSubtask }) => ({
      settleSubtask: (change: Change) => {
        settleSubtask(change);
        const callId = change.context.turn.calls[0]?.callId ?? "";
        change.append({ type: "say", say: "subtask_result", text: "", callId });
      },
    }),
    bounds: { ...CRASH, crashes: 0, tools: ["delegate"] },
  },
  {
    name: "a subtask's end that the user is told in other words",
    law: "L16",
    file: "task/subtask.ts",
    replace: ({ settleSubtask }) => ({
      settleSubtask: (change: Change) => {
        settleSubtask(deaf(change, "append", () => true));
        const callId = change.context.turn.calls[0]?.callId ?? "";
        change.append({ type: "say", say: "subtask_result", text: "It has ended.", callId });
      },
    }),
    bounds: { ...CRASH, crashes: 0, tools: ["delegate"] },
  },
  {
    name: "a subtask's call that is settled twice",
    law: "L16",
    file: "task/subtask.ts",
    replace: ({ settleSubtask }) => ({
      settleSubtask: (change: Change) => {
        settleSubtask(change);
        const again = change.emits.find(({ type }) => type === "call.changed");
        if (again !== undefined) change.emit(again);
      },
    }),
    bounds: { ...CRASH, crashes: 0, tools: ["delegate"] },
  },
  {
    name: "calls of a cut answer that are remembered when the task is opened again",
    law: "L11",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) =>
        recover(deaf(change, "emit", (piece) => JSON.stringify(piece).includes("turn.ended"))),
    }),
    bounds: CRASH,
  },
  {
    name: "a command that waits for its snapshot behind an ask that is answered",
    law: "L1",
    file: "task/calls.ts",
    replace: ({ recordDecision }) => ({
      recordDecision: (change: Change, ...of: unknown[]) =>
        recordDecision(
          deaf(change, "append", () => true),
          ...of,
        ),
    }),
    input: { checkpoints: true },
    bounds: { ...CRASH, crashes: 0, tools: ["command"] },
  },
  {
    name: "a subtask's result that the model is told otherwise",
    law: "L16",
    file: "conversation/index.ts",
    replace: () => ({ subtaskFinished: () => "it was cancelled" }),
    bounds: { ...CRASH, crashes: 0, tools: ["delegate"] },
  },
  {
    name: "a subtask's end that is forgotten when the task is opened again",
    law: "L16",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) => {
        const { turn } = change.context;
        const settled = turn.calls.map((call) =>
          call.phase === "delegated" && call.end !== undefined
            ? { ...call, phase: "settled" as const, outcome: { kind: "done" as const, content: [] } }
            : call,
        );
        change.set({ turn: { ...turn, calls: settled } });
        recover(change);
      },
    }),
    bounds: { ...CRASH, tools: ["delegate"] },
  },
  {
    name: "calls behind a subtask that are done beside it",
    law: "L16",
    file: "task/calls.ts",
    replace: () => ({ skipCallsAfterSubtask: nothing }),
    bounds: { ...CRASH, crashes: 0, calls: 2, blocks: 2, tools: ["delegate"] },
  },
  {
    name: "a subtask that goes on after a cancel",
    law: "L10",
    file: "task/calls.ts",
    replace: ({ stopCalls }) => ({
      stopCalls: (change: Change) => stopCalls(deaf(change, "stop", (kind) => kind === "subtask")),
    }),
    bounds: { ...CRASH, crashes: 0, interruptions: 1, tools: ["delegate"] },
  },
  {
    name: "the end of another task's subtask that is taken",
    law: "L10",
    provide: { guards: { isDelegated: ({ event }) => event.type === "subtask.ended" } },
    bounds: { ...CRASH, crashes: 0, tools: ["delegate"] },
  },
  {
    name: "a subtask without a decision",
    law: "L7",
    file: "task/calls.ts",
    replace: ({ recordDecision }) => ({
      recordDecision: (change: Change, ...of: unknown[]) =>
        recordDecision(
          deaf(change, "emit", (piece) => has(piece, "decision")),
          ...of,
        ),
    }),
    bounds: { ...CRASH, crashes: 0, tools: ["delegate"] },
  },
  {
    name: "an effect before its turn's snapshot",
    law: "CHECKPOINT",
    file: "task/turn.ts",
    replace: () => ({ needsCheckpoint: () => false }),
    input: { checkpoints: true },
    bounds: { ...CRASH, crashes: 0 },
  },
  {
    name: "a snapshot that is in no row",
    law: "CHECKPOINT",
    file: "task/turn.ts",
    replace: ({ applyCheckpoint }) => ({
      applyCheckpoint: (change: Change) => applyCheckpoint(deaf(change, "append", () => true)),
    }),
    input: { checkpoints: true },
    bounds: { ...CRASH, crashes: 0 },
  },
  {
    name: "a snapshot that is told before it is taken",
    law: "CHECKPOINT",
    file: "task/turn.ts",
    replace: ({ saveCheckpoint }) => ({
      saveCheckpoint: (change: Change, callId: string) => {
        saveCheckpoint(change, callId);
        change.append({ type: "say", say: "checkpoint_saved", text: "soon", callId });
      },
    }),
    input: { checkpoints: true },
    bounds: { ...CRASH, crashes: 0 },
  },
  {
    name: "a rest that nobody can leave",
    law: "L13",
    provide: { guards: { isYesOrText: () => false } },
    bounds: { blocks: 0 },
    graphOnly: true,
  },
];

const bound = (of: Change, key: string | symbol): unknown => {
  const value: unknown = Reflect.get(of, key, of);
  return typeof value === "function" ? value.bind(of) : value;
};

/** The shipped machine with this fault in it. */
export async function withFault({ name, provide, file, replace }: Fault): Promise<Machine> {
  if (provide !== undefined) return taskMachine.provide(provide);
  if (file === undefined || replace === undefined) return taskMachine;
  const path = `../../machines/${file}`;
  vi.resetModules();
  let replaced = false;
  vi.doMock(path, async (sound) => {
    const all = await sound<Module>();
    replaced = true;
    return { ...all, ...(await replace(all)) };
  });
  const door = await import("../../machines/task/index.ts");
  vi.doUnmock(path);
  if (!replaced) throw new Error(`The machine imports no file machines/${file}. Name the file of "${name}".`);
  return door.taskMachine;
}

/** What is explored to find it: bounds within which it shows. */
export const explorationOf = ({ bounds, input }: Fault) => ({
  bounds: { turns: 1, calls: 1, blocks: 1, queued: 1, interruptions: 1, ...bounds },
  maxStates: 6_000,
  ...(input !== undefined && { input }),
});
