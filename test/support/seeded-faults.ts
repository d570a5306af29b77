import { vi } from "vitest";
import type { Protocol } from "../../control/protocol.ts";
import type { Conversation } from "../../machines/conversation/conversation.ts";
import type { Entry } from "../../machines/conversation/entry.ts";
import type { Change } from "../../machines/task/change.ts";
import type { TaskContext, TaskInput } from "../../machines/task/task.context.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import type { ToolCallEvent } from "../../machines/tool-call/call.table.ts";
import type { CallIn, ToolCall } from "../../machines/tool-call/call.ts";
import { auditLaw } from "../../verify/controlled.ts";
import type { Bounds } from "../../verify/index.ts";
import { AMENDMENT_FAULTS } from "./amendment-faults.ts";
import { BACKGROUND_FAULTS } from "./background-faults.ts";
import { BUDGET_FAULTS } from "./budget-faults.ts";
import { ignoring, withCalls } from "./changed-change.ts";
import { CONTROL_FAULTS } from "./control-faults.ts";
import { ELICITATION_FAULTS } from "./elicitation-faults.ts";
import { faultyStep } from "./faulty-step.ts";
import { HOOK_FAULTS } from "./hook-faults.ts";
import { INTENT_FAULTS } from "./intent-faults.ts";
import { RECORD_FAULTS } from "./ledger-faults.ts";
import { PAUSE_FAULTS } from "./pause-faults.ts";
import { PERMISSION_FAULTS } from "./permission-faults.ts";
import { POLICY_FAULTS } from "./policy-faults.ts";
import { PROFILE_FAULTS } from "./profile-faults.ts";
import { SUBTASK_FAULTS } from "./subtask-faults.ts";
import { WAKE_FAULTS } from "./wake-faults.ts";

type Machine = typeof taskMachine;
// biome-ignore lint/suspicious/noExplicitAny: a fault replaces a function of any kind.
type Module = Record<string, any>;

/** A deliberate bug in the machine. */
export interface Fault {
  readonly name: string;
  /** The law that it violates. */
  readonly law: string;
  /** Replaces actions or guards of the machine. */
  readonly provide?: Parameters<Machine["provide"]>[0];
  /** Replaces exports of one file under machines/. */
  readonly file?: string;
  readonly replace?: (original: Module) => Module | Promise<Module>;
  /** Turns off the assertion that would end a wrong conversation before a law sees it. */
  readonly assertsNothing?: true;
  readonly input?: Partial<TaskInput>;
  readonly bounds?: Partial<Bounds>;
  /** Whether only the laws of the graph and of paths (L13, NI, audits) can find it. */
  readonly graphOnly?: true;
}

const nothing = (): void => {};
const running = ({ context }: Change) => context.turn.calls.filter(({ phase }) => phase === "running");

/** Bounds for faults that need a crash. */
const CRASH = { queued: 0, interruptions: 0, crashes: 1 };

const isOpaque = (draft: unknown): boolean =>
  typeof draft === "object" && draft !== null && "say" in draft && draft.say === "opaque";
const has = (of: unknown, key: string): boolean => typeof of === "object" && of !== null && key in of;
/** A task of texts, in which each queued message gets a turn of its own. */
const DELIVERY = {
  input: { queueDelivery: "one", completion: "end_turn" },
  bounds: { queued: 2, tools: [] },
} as const;
/** Bounds for faults that need a block that is not interpreted. */
const OPAQUE = { blocks: 1, queued: 0, interruptions: 0, opaque: true, tools: [] } as const;

/** A task of texts, whose window is full after its second response. */
const CONDENSES = {
  input: {
    model: { provider: "mock", id: "mock", contextWindow: 1_000 },
    limits: { condenseKeeps: 0 },
    completion: "end_turn",
  },
  bounds: { turns: 3, blocks: 1, queued: 0, interruptions: 0, condenses: true, tools: [] },
} as const;

/** A task of texts with an image, which the endpoint refuses. */
const REFUSES = { ...CONDENSES, bounds: { ...CONDENSES.bounds, turns: 1, images: true } } as const;

/** A task whose calls repeat, and whose diffs fail. */
const REPEATS = {
  input: { limits: { repetitions: 1, diffFailures: 2, diffFiles: 1, mistakes: 0, requests: 1_000 } },
  bounds: { turns: 4, queued: 0, interruptions: 0, repeats: true, tools: ["read", "write"] },
} as const;
/** A task whose second request waits for the rate limit. */
const PACED = {
  input: { limits: { rateLimitMs: 1_000_000 } },
  bounds: { turns: 2, blocks: 0, queued: 0, interruptions: 1, tools: [] },
} as const;

/** Sends all queued messages with the next request. */
async function deliveringAll(): Promise<(change: Change) => void> {
  const { addFeedback } = await import("../../machines/task/asks.ts");
  return (change) => {
    if (change.context.queue.length === 0) return;
    for (const item of change.context.queue) addFeedback(change, item);
    change.set({ queue: [] });
    change.emit({ type: "queue.changed", queue: [] });
  };
}

export const FAULTS: readonly Fault[] = [
  {
    name: "no ask after a failed request",
    law: "L1",
    provide: { actions: { askAboutFailure: nothing } },
  },
  {
    name: "message in the log that was never emitted",
    law: "L2",
    file: "task/request.ts",
    replace: () => ({
      recordUsage: (change: Change) =>
        change.set({ log: change.context.log.append({ ts: 99, type: "say", say: "text" }) }),
    }),
  },
  {
    name: "phase of a call set beside its table",
    law: "L2",
    file: "task/stream.ts",
    replace: ({ previewCall }) => ({
      previewCall: (change: Change) => {
        previewCall(change);
        change.set(withCalls(change.context, (call) => ({ ...call, phase: "stopped", replayable: true })));
      },
    }),
  },
  {
    name: "queue change that is never emitted",
    law: "L2",
    file: "task/queue.ts",
    replace: () => ({
      addToQueue: (change: Change) => change.set({ queue: [{ id: "x", text: "", images: [] }] }),
    }),
  },
  {
    name: "partial message left after a failed response",
    law: "L3",
    provide: { actions: { discardResponse: nothing } },
  },
  { name: "request never closed", law: "L4", provide: { actions: { closeRequest: nothing } } },
  {
    name: "request message reused by a retry",
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
    name: "output appended to the last message of any kind",
    law: "L5",
    file: "task/command.ts",
    replace: () => ({ growOutput: (change: Change) => change.grow(change.context.log.at(-1)?.ts ?? 0, ".") }),
  },
  {
    name: "status shown at the last message",
    law: "L5",
    file: "task/execution.ts",
    replace: () => ({
      showProgress: (change: Change) =>
        change.amend(change.context.log.at(-1)?.ts ?? 0, { progressStatus: { text: "half" } }),
    }),
  },
  {
    name: "missing tool_result",
    law: "L6",
    file: "conversation/pairing.ts",
    replace: ({ pairResults }) => ({ pairResults: (...of: unknown[]) => pairResults(...of).slice(1) }),
    assertsNothing: true,
  },
  {
    name: "call run twice under one decision",
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
    name: "call run under the digest of other arguments",
    law: "L7",
    ...faultyStep("started", () => (call) => ({
      ...call,
      phase: "running",
      review: { ...call.review, digest: "another" },
    })),
  },
  {
    name: "incomplete call reviewed like a complete one",
    law: "L7",
    file: "task/stream.ts",
    replace: async () => {
      const { callIn, moveCall } = await import("../../machines/task/turn.ts");
      return {
        breakCall: (change: Change) => {
          if (change.event.type !== "llm.tool.broken") return;
          const { callId } = change.event;
          const call = callIn(change.context, callId, "planned");
          if (call === undefined) return;
          moveCall(change, call, { type: "completed", input: {} });
          const { mode, permissions } = change.context;
          change.start("review", `review:${callId}`, {
            callId,
            name: call.name,
            input: {},
            mode,
            permissions,
          });
        },
      };
    },
  },
  {
    name: "queued message that approves the call under review",
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
    name: "answer accepted for any ask id",
    law: "L8",
    provide: {
      guards: { isYes: ({ event }) => event.type === "ask.answered" && event.answer.kind === "yes" },
    },
  },
  {
    name: "message after the open ask",
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
    name: "ask left open by a cancel",
    law: "L8",
    file: "task/asks.ts",
    replace: ({ closeAsk }) => ({
      closeAsk: (change: Change, closing: string) =>
        closing === "withdrawn" ? undefined : closeAsk(change, closing),
    }),
  },
  {
    name: "ask closed twice",
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
    name: "tool still running after a cancel",
    law: "L10",
    file: "task/calls.ts",
    replace: ({ stopCalls }) => ({
      stopCalls: (change: Change) => (running(change).length > 0 ? undefined : stopCalls(change)),
    }),
  },
  {
    name: "no resume ask after a cancel",
    law: "L10",
    provide: { actions: { askToResume: nothing } },
  },
  {
    name: "late event of another request accepted",
    law: "L10",
    provide: { guards: { isOpenRequest: ({ event }) => "requestId" in event } },
  },
  { name: "model actor never stopped", law: "L10", provide: { actions: { stopLlm: nothing } } },
  {
    name: "mistake limit never enforced",
    law: "L14",
    provide: { guards: { mistakesReached: () => false } },
    input: { limits: { mistakes: 1 } },
  },
  {
    name: "unlimited retries",
    law: "L14",
    provide: { guards: { mayRetry: ({ event }) => event.type === "llm.failed" && event.requestId > 0 } },
    input: { limits: { retries: 1 } },
    bounds: { turns: 3 },
  },
  {
    name: "call started while a write runs",
    law: "ORDER",
    file: "task/steps.ts",
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
    name: "queued messages dropped",
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
    name: "queued message sent with a request, where each has a turn of its own",
    law: "QUEUE",
    file: "task/queue.ts",
    replace: async () => ({ drainQueue: await deliveringAll() }),
    ...DELIVERY,
  },
  {
    name: "queued messages delivered together",
    law: "QUEUE",
    file: "task/queue.ts",
    replace: async () => ({ deliverNext: await deliveringAll() }),
    ...DELIVERY,
  },
  {
    name: "newest queued message delivered first",
    law: "QUEUE",
    file: "task/queue.ts",
    replace: async () => {
      const { addFeedback } = await import("../../machines/task/asks.ts");
      return {
        deliverNext: (change: Change) => {
          const queue = change.context.queue.slice(0, -1);
          for (const item of change.context.queue.slice(-1)) addFeedback(change, item);
          change.set({ queue });
          change.emit({ type: "queue.changed", queue });
        },
      };
    },
    ...DELIVERY,
  },
  {
    name: "queued message replaces a completion's ask, where each has a turn of its own",
    law: "QUEUE",
    file: "task/schedule.ts",
    replace: ({ nextStep }) => ({
      nextStep: (context: TaskContext) => {
        const step = nextStep(context);
        const isReplaced = step.kind === "deliver" && step.call !== undefined;
        return isReplaced ? { kind: "settle", by: "queue", call: step.call } : step;
      },
    }),
    input: { queueDelivery: "one" },
    bounds: { interruptions: 0, tools: ["complete"] },
  },
  {
    name: "queued message delivered by another timer",
    law: "L10",
    provide: { guards: { delivers: ({ context }) => context.queue.length > 0 } },
    ...DELIVERY,
  },
  {
    name: "delivery still pending after a cancel",
    law: "L10",
    provide: { actions: { stopTimer: nothing } },
    ...DELIVERY,
  },
  {
    name: "block that is not interpreted and never shown",
    law: "OPAQUE",
    file: "task/steps.ts",
    replace: ({ showBlocks }) => ({
      showBlocks: (change: Change) => showBlocks(ignoring(change, "append", isOpaque)),
    }),
    bounds: OPAQUE,
  },
  {
    name: "block that is not interpreted shown by another type",
    law: "OPAQUE",
    file: "task/steps.ts",
    replace: ({ showBlocks }) => ({
      showBlocks: (change: Change) => {
        showBlocks(ignoring(change, "append", isOpaque));
        if (change.event.type === "llm.opaque")
          change.append({ type: "say", say: "text", text: change.event.text });
      },
    }),
    bounds: OPAQUE,
  },
  {
    name: "partial message left after recovery",
    law: "L3",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) => recover(ignoring(change, "amend", (_ts, patch) => has(patch, "partial"))),
    }),
    bounds: CRASH,
  },
  {
    name: "request left open after recovery",
    law: "L4",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) => recover(ignoring(change, "amend", (_ts, patch) => has(patch, "text"))),
    }),
    bounds: CRASH,
  },
  {
    name: "ask left open after recovery",
    law: "L8",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) =>
        recover(ignoring(change, "amend", (_ts, patch) => has(patch, "closing") && !has(patch, "partial"))),
    }),
    bounds: CRASH,
  },
  {
    name: "resume ask withdrawn and posted again",
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
    name: "two resume asks",
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
    name: "completed task recovered as interrupted",
    law: "L11",
    provide: { guards: { wasCompleted: () => false } },
    bounds: CRASH,
  },
  {
    name: "queue lost in recovery",
    law: "L11",
    file: "task/lifecycle.ts",
    replace: ({ initialContext }) => ({
      initialContext: (of: unknown) => ({ ...initialContext(of), queue: [] }),
    }),
    bounds: { ...CRASH, queued: 1 },
  },
  {
    name: "retry delay lost in recovery",
    law: "L11",
    provide: { guards: { resumesRetryDelay: () => false } },
    bounds: CRASH,
  },
  {
    name: "pending text of the next request missing from every commit",
    law: "L11",
    file: "task/commit.ts",
    replace: ({ factsIn }) => ({
      factsIn: ({ pending: _pending, ...patch }: Record<string, unknown>) => factsIn(patch),
    }),
  },
  {
    name: "time of the next attempt missing from every commit",
    law: "L11",
    file: "task/commit.ts",
    replace: ({ factsIn }) => ({
      factsIn: ({ retryAt: _retryAt, ...patch }: Record<string, unknown>) => factsIn(patch),
    }),
  },
  {
    name: "settled call missing from every commit",
    law: "L11",
    file: "task/turn.ts",
    replace: ({ moveCall }) => ({
      moveCall: (change: Change, call: ToolCall, event: ToolCallEvent) =>
        moveCall(
          ignoring(change, "emit", (emitted) => has(emitted, "call") && event.type === "settled"),
          call,
          event,
        ),
    }),
  },
  {
    name: "end of a turn missing from every commit",
    law: "L11",
    file: "task/turn.ts",
    replace: ({ emptyTurn }) => ({ endTurn: (change: Change) => change.set({ turn: emptyTurn }) }),
  },
  {
    name: "call without a recorded end treated as done",
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
    name: "read-only call reported as uncertain",
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
    name: "uncertain call never reported to the user",
    law: "L12",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) =>
        recover(ignoring(change, "append", (message) => JSON.stringify(message).includes('"error"'))),
    }),
    bounds: CRASH,
  },
  {
    name: "resume ask kept despite an uncertain call",
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
    name: "lost background command never reported",
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
    name: "call run again on resume",
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
    name: "subtask resumed as another child",
    law: "L12",
    file: "task/subtask.ts",
    replace: ({ resumeSubtasks }) => ({
      resumeSubtasks: (change: Change) => {
        const other = (call: ToolCall) =>
          call.phase === "delegated" ? { ...call, childId: "another" } : call;
        const { turn } = withCalls(change.context, other);
        change.set({ turn });
        for (const call of turn.calls)
          if (call.phase === "delegated") change.emit({ type: "call.changed", call });
        resumeSubtasks(change);
      },
    }),
    bounds: { ...CRASH, tools: ["delegate"] },
  },
  {
    name: "subtask outcome reported twice",
    law: "JOIN",
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
    name: "subtask outcome reported to the user with another text",
    law: "JOIN",
    file: "task/subtask.ts",
    replace: ({ settleSubtask }) => ({
      settleSubtask: (change: Change) => {
        settleSubtask(ignoring(change, "append", () => true));
        const callId = change.context.turn.calls[0]?.callId ?? "";
        change.append({ type: "say", say: "subtask_result", text: "It has ended.", callId });
      },
    }),
    bounds: { ...CRASH, crashes: 0, tools: ["delegate"] },
  },
  {
    name: "subtask call settled twice",
    law: "JOIN",
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
    name: "calls of an incomplete response kept in recovery",
    law: "L11",
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) =>
        recover(ignoring(change, "emit", (emitted) => JSON.stringify(emitted).includes("turn.ended"))),
    }),
    bounds: CRASH,
  },
  {
    name: "command waiting for its snapshot without its message",
    law: "L1",
    file: "task/calls.ts",
    replace: ({ recordDecision }) => ({
      recordDecision: (change: Change, ...of: unknown[]) =>
        recordDecision(
          ignoring(change, "append", () => true),
          ...of,
        ),
    }),
    input: { checkpoints: true },
    bounds: { ...CRASH, crashes: 0, tools: ["command"] },
  },
  {
    name: "subtask result reported to the model as another outcome",
    law: "JOIN",
    file: "conversation/notices.ts",
    replace: () => ({ subtaskFinished: () => "it was cancelled" }),
    bounds: { ...CRASH, crashes: 0, tools: ["delegate"] },
  },
  {
    name: "subtask outcome lost in recovery",
    law: "JOIN",
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
    name: "subtask still running after a cancel",
    law: "L10",
    file: "task/calls.ts",
    replace: ({ stopCalls }) => ({
      stopCalls: (change: Change) => stopCalls(ignoring(change, "stop", (kind) => kind === "subtask")),
    }),
    bounds: { ...CRASH, crashes: 0, interruptions: 1, tools: ["delegate"] },
  },
  {
    name: "outcome of another task's subtask accepted",
    law: "L10",
    provide: { guards: { isDelegated: ({ event }) => event.type === "subtask.ended" } },
    bounds: { ...CRASH, crashes: 0, tools: ["delegate"] },
  },
  {
    name: "subtask without a decision",
    law: "L7",
    file: "task/calls.ts",
    replace: ({ recordDecision }) => ({
      recordDecision: (change: Change, ...of: unknown[]) =>
        recordDecision(
          ignoring(change, "emit", (emitted) => has(emitted, "decision")),
          ...of,
        ),
    }),
    bounds: { ...CRASH, crashes: 0, tools: ["delegate"] },
  },
  {
    name: "effect before the turn's snapshot",
    law: "CHECKPOINT",
    file: "task/turn.ts",
    replace: () => ({ needsCheckpoint: () => false }),
    input: { checkpoints: true },
    bounds: { ...CRASH, crashes: 0 },
  },
  {
    name: "snapshot without a message",
    law: "CHECKPOINT",
    file: "task/turn.ts",
    replace: ({ applyCheckpoint }) => ({
      applyCheckpoint: (change: Change) => applyCheckpoint(ignoring(change, "append", () => true)),
    }),
    input: { checkpoints: true },
    bounds: { ...CRASH, crashes: 0 },
  },
  {
    name: "snapshot reported before it is taken",
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
    name: "context of a task at rest that is no plain data",
    law: "PASSIVE",
    file: "task/lifecycle.ts",
    replace: ({ reportRest }) => ({
      reportRest: (change: Change) => {
        reportRest(change);
        change.set({ pending: Object.assign([], { at: new Date(0) }) });
      },
    }),
  },
  {
    name: "settled state without an exit",
    law: "L13",
    provide: { guards: { isYesOrText: () => false } },
    bounds: { blocks: 0 },
    graphOnly: true,
  },
  {
    name: "conversation shortened before its summary",
    law: "COMPACT",
    ...CONDENSES,
    file: "task/condensing.ts",
    replace: ({ startCondensing }) => ({
      startCondensing: (change: Change) => {
        startCondensing(change);
        change.changeConversation({ type: "entries.replaced", count: 2, by: [] });
      },
    }),
  },
  {
    name: "conversation cut between a response and its results",
    law: "COMPACT",
    ...CONDENSES,
    file: "conversation/condense.ts",
    replace: ({ condensed }) => ({
      condensed: (conversation: Conversation, from: number, summary: string) =>
        condensed(conversation, from - 1, summary),
    }),
    assertsNothing: true,
  },
  {
    name: "condensation without its message",
    law: "COMPACT",
    ...CONDENSES,
    file: "task/condensing.ts",
    replace: ({ condense }) => ({
      condense: (change: Change) => condense(ignoring(change, "amend", () => true)),
    }),
  },
  {
    name: "count of an unneeded condensation forgotten",
    law: "COMPACT",
    ...CONDENSES,
    file: "task/condensing.ts",
    replace: () => ({ recordCount: nothing }),
  },
  {
    name: "message of a condensation left partial",
    law: "L3",
    ...CONDENSES,
    file: "task/condensing.ts",
    replace: ({ skipCondensing }) => ({
      skipCondensing: (change: Change) => skipCondensing(ignoring(change, "amend", () => true)),
    }),
  },
  {
    name: "summary of an earlier request",
    law: "L10",
    ...CONDENSES,
    provide: { guards: { isUsable: ({ event }) => event.type === "condense.finished" } },
  },
  {
    name: "request sent again and again for an image that it does not have",
    law: "L14",
    ...REFUSES,
    provide: {
      guards: {
        mayReplaceImages: ({ event }) =>
          event.type === "llm.failed" && event.failure.code === "image_refused",
      },
    },
  },
  {
    name: "refused image left in the conversation",
    law: "COMPACT",
    ...REFUSES,
    provide: { actions: { replaceImages: nothing } },
  },
  {
    name: "refused image replaced without a message",
    law: "COMPACT",
    ...REFUSES,
    file: "task/images.ts",
    replace: ({ replaceImages }) => ({
      replaceImages: (change: Change) => replaceImages(ignoring(change, "append", () => true)),
    }),
  },
  {
    name: "message of a person lost with its refused image",
    law: "COMPACT",
    ...REFUSES,
    file: "conversation/images.ts",
    replace: ({ withoutImages }) => ({
      withoutImages: (conversation: Conversation, reason: string) => {
        const event = withoutImages(conversation, reason);
        return {
          ...event,
          by: event.by.map((entry: Entry) => ({ ...entry, content: entry.content.slice(-1) })),
        };
      },
    }),
  },
  {
    name: "condensed again and again for a request that is too long",
    law: "L14",
    ...CONDENSES,
    provide: {
      guards: {
        mayCondense: ({ event }) => event.type === "llm.failed" && event.failure.code === "prompt_too_long",
      },
    },
  },
  {
    name: "cycle of two calls never refused",
    law: "L14",
    ...REPEATS,
    file: "task/counters.ts",
    replace: ({ setCounters }) => ({
      setCounters: (change: Change, patch: Partial<TaskContext["counters"]>) =>
        setCounters(change, patch.cycles === undefined ? patch : { ...patch, cycles: [] }),
    }),
  },
  {
    name: "repeated call refused without a notice",
    law: "L14",
    ...REPEATS,
    file: "task/calls.ts",
    replace: ({ settleAsMistake, settleWithText }) => ({
      settleAsMistake: (change: Change, call: ToolCall, error: string, ...of: unknown[]) =>
        error.includes("repeated")
          ? settleWithText(change, call, "invalid", error)
          : settleAsMistake(change, call, error, ...of),
    }),
  },
  {
    name: "any call counted as a repetition",
    law: "L14",
    ...REPEATS,
    file: "task/repetition.ts",
    replace: ({ countRepetition }) => ({
      countRepetition: (change: Change, digest: string) => {
        const { repeated } = change.context.counters;
        return countRepetition(change, repeated.digest === "" ? digest : repeated.digest);
      },
    }),
  },
  {
    name: "failed diff shown as any other error",
    law: "L14",
    ...REPEATS,
    file: "task/calls.ts",
    replace: ({ settleAsMistake }) => ({
      settleAsMistake: (change: Change, call: ToolCall, error: string) =>
        settleAsMistake(change, call, error),
    }),
  },
  {
    name: "failed diff of a running call without a message",
    law: "L14",
    ...REPEATS,
    ...faultyStep(
      "settled",
      (step) =>
        (call, { notice, ...event }) =>
          step(call, event.outcome.kind === "failed" ? event : { ...event, notice }),
    ),
  },
  {
    name: "limit of failed diffs without the advice",
    law: "L14",
    ...REPEATS,
    file: "conversation/notices.ts",
    replace: () => ({ writeWholeFile: () => "" }),
  },
  {
    name: "failures of diffs counted after a success",
    law: "L14",
    ...REPEATS,
    file: "task/diffs.ts",
    replace: () => ({ resetDiffFailures: nothing }),
  },
  {
    name: "request opened before the rate limit allows it",
    law: "L14",
    ...PACED,
    provide: { guards: { isPaced: () => false } },
  },
  {
    name: "start of a request not kept",
    law: "L14",
    ...PACED,
    file: "task/pacing.ts",
    replace: () => ({ recordStart: nothing }),
  },
  {
    name: "wait for the rate limit without a message",
    law: "L14",
    ...PACED,
    provide: { actions: { postRateLimit: nothing } },
  },
  {
    name: "wait for the rate limit that outlives a cancel",
    law: "L10",
    ...PACED,
    provide: { actions: { stopTimer: nothing } },
  },
  {
    name: "timer of another request ends the wait for the rate limit",
    law: "L10",
    ...PACED,
    provide: { guards: { isRateLimitTimer: ({ event }) => event.type === "timer.fired" } },
  },
  {
    name: "start of the newest request missing from every commit",
    law: "L11",
    ...PACED,
    file: "task/commit.ts",
    replace: ({ factsIn }) => ({
      factsIn: ({ requestedAt: _, ...patch }: Partial<TaskContext>) => factsIn(patch),
    }),
  },
  {
    name: "count of failed diffs missing from every commit",
    law: "L11",
    ...REPEATS,
    file: "task/commit.ts",
    replace: ({ factsIn }) => ({
      factsIn: ({ failedDiffs: _, ...patch }: Partial<TaskContext>) => factsIn(patch),
    }),
  },
  {
    name: "request to condense forgotten by a crash",
    law: "L11",
    ...CONDENSES,
    file: "task/commit.ts",
    replace: ({ factsIn }) => ({
      factsIn: ({ compaction: _, ...patch }: Partial<TaskContext>) => factsIn(patch),
    }),
  },
  ...BUDGET_FAULTS,
  ...HOOK_FAULTS,
  ...CONTROL_FAULTS,
  ...PAUSE_FAULTS,
  ...WAKE_FAULTS,
  ...PERMISSION_FAULTS,
  ...PROFILE_FAULTS,
  ...SUBTASK_FAULTS,
  ...BACKGROUND_FAULTS,
  ...POLICY_FAULTS,
  ...AMENDMENT_FAULTS,
  ...ELICITATION_FAULTS,
  ...INTENT_FAULTS,
  ...RECORD_FAULTS,
];

/** The machine with this fault. */
export async function withFault({ name, provide, file, replace, assertsNothing }: Fault): Promise<Machine> {
  if (provide !== undefined) return taskMachine.provide(provide);
  if (file === undefined || replace === undefined) return taskMachine;
  const path = `../../machines/${file}`;
  vi.resetModules();
  let replaced = false;
  vi.doMock(path, async (importOriginal) => {
    const all = await importOriginal<Module>();
    replaced = true;
    return { ...all, ...(await replace(all)) };
  });
  const assertion = "../../machines/conversation/conversation-error.ts";
  if (assertsNothing)
    vi.doMock(assertion, async (original) => ({
      ...(await original<Module>()),
      assertConversation: nothing,
    }));
  const { taskMachine: faulty } = await import("../../machines/task/task.machine.ts");
  vi.doUnmock(path);
  vi.doUnmock(assertion);
  if (!replaced)
    throw new Error(`The machine does not import machines/${file}. Correct the file of fault "${name}".`);
  return faulty;
}

/** Options of the exploration that finds the fault. */
export const explorationOf = ({ law, bounds, input, graphOnly }: Fault) => ({
  bounds: { turns: 1, calls: 1, blocks: 1, queued: 1, interruptions: 1, ...bounds },
  maxStates: 6_000,
  interference: law === "NI",
  pathLaws: graphOnly === true && law === "CONTROL" ? auditLaws(bounds?.protocol) : [],
  ...(input !== undefined && { input }),
});

const auditLaws = (protocol: Protocol | undefined) => {
  const law = protocol && auditLaw(protocol);
  return law === undefined ? [] : [law];
};
