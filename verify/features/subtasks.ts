import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { SubtaskOutcome, ToolCall } from "../../machines/tool-call/call.ts";
import type { Grant } from "../../machines/tool-call/grant.ts";
import type { Feature } from "./feature.ts";

/** Subtasks end, or can't be opened. Their own journals may have an end that the parent's has not. */
export const subtasks: Feature = {
  name: "subtasks",
  parts: {
    budget: ({ view: { context } }) => budgetOf(context),
    "background subtasks": ({ view: { context } }) =>
      context.backgroundSubtasks.map(({ rests, end }) => (end === undefined ? (rests ?? "works") : "ended")),
  },
  events: ({ view: { context }, bounds, at }) => {
    const { turn, pause, backgroundSubtasks } = context;
    const { calls } = turn;
    const stale = calls.find(({ phase }) => phase !== "delegated")?.callId ?? "0/gone";
    return [
      ...endsOf(stale, [{ kind: "finished", result: "late" }], at),
      ...calls.flatMap((call) =>
        call.phase === "delegated" ? endsOf(call.callId, outcomesOf(call.grant), at) : [],
      ),
      ...backgroundSubtasks.flatMap(({ callId, grant }) => endsOf(callId, outcomesOf(grant), at)),
      // The pause of one in the background may come late: its parent goes on.
      ...(bounds.pausing ? backgroundSubtasks.map(({ callId }) => pauseOf(callId, at)) : []),
      // The pause of a subtask ends the wait only while the task is being paused.
      ...(pause === "asked" ? calls.flatMap((call) => pausesOf(call, at)) : []),
    ];
  },
  crashes: ({ view: { recorded } }) =>
    [
      ...recorded.calls.filter((call) => call.phase === "delegated"),
      ...(recorded.facts.backgroundSubtasks ?? []).filter(({ end }) => end === undefined),
    ].flatMap(({ callId, grant }) =>
      outcomesOf(grant).map((end) => ({ childEnds: [[callId, end]] as const })),
    ),
};

const OUTCOMES: readonly SubtaskOutcome[] = [
  { kind: "finished", result: "it is done" },
  { kind: "cancelled" },
  { kind: "deleted" },
  { kind: "failed", message: "it broke" },
];

/** A subtask returns all of its grant, or nothing of it. */
const outcomesOf = (grant: Grant | undefined): readonly SubtaskOutcome[] =>
  grant === undefined ? OUTCOMES : [...OUTCOMES, { kind: "finished", result: "it is done", rest: grant }];

const endsOf = (callId: string, outcomes: readonly SubtaskOutcome[], at: number): TaskEvent[] => [
  ...outcomes.map((end): TaskEvent => ({ type: "subtask.ended", at, callId, end })),
  { type: "subtask.unavailable", at, callId, message: "another process has it open" },
];

const pausesOf = ({ phase, callId }: ToolCall, at: number): TaskEvent[] =>
  phase === "delegated" ? [pauseOf(callId, at)] : [];

const pauseOf = (callId: string, at: number): TaskEvent => ({ type: "subtask.paused", at, callId });

/** The budget that requests and subtasks depend on: dollars are left or not. */
function budgetOf({ budget }: TaskContext) {
  if (budget === null || budget.state === "returned") return budget?.state ?? 0;
  const { cost = 1, ...left } = budget.left;
  return [budget.state, left, cost > 0];
}
