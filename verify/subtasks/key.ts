import type { BackgroundSubtask } from "../../machines/task/task.events.ts";
import { type OpenTask, type PairCommit, type PairJournal, stateOf } from "./open-task.ts";
import { callNames } from "./script.ts";

/** The key of an open task. */
export function taskKey(task: OpenTask | undefined) {
  if (task === undefined) return 0;
  const { context } = task.snapshot;
  return [
    stateOf(task),
    context.pause,
    context.ask === undefined ? 0 : [context.ask.ask, context.ask.id === context.log.at(-1)?.ts],
    context.turn.calls.map((call) => [
      call.phase,
      call.name,
      call.phase === "settled" ? call.outcome.kind : 0,
      call.phase === "delegated" ? (call.end?.kind ?? 0) : 0,
    ]),
    context.budget?.state === "returned" ? 0 : context.budget?.left.requests,
    backgroundKey(context.backgroundSubtasks),
    callNames(context.conversation),
    context.conversation.at(-1)?.role,
    task.pending.map(commitKey),
    task.waiting.map(kindOf),
    task.active.map(kindOf),
  ];
}

const commitKey = ({ after, calls, reports, cause, effects }: PairCommit) => [
  after,
  calls.map(({ phase, name }) => [phase, name]),
  reports.map(({ type }) => type),
  cause?.type,
  effects.map(({ type, effect }) => [type, effect]),
];

/** The key of a journal. */
export function journalKey(journal: PairJournal | undefined) {
  if (journal === undefined) return 0;
  const { recorded, state, outcome } = journal;
  const last = recorded.log.at(-1);
  const { budget } = recorded.facts;
  return [
    state,
    outcome ?? 0,
    last === undefined ? 0 : [last.ask ?? last.say, last.partial, last.closing],
    recorded.calls.map((call) => [call.phase, call.name, call.phase === "settled" ? call.outcome.kind : 0]),
    recorded.facts.pause,
    budget === undefined || budget === null || budget.state === "returned" ? 0 : budget.left.requests,
    backgroundKey(recorded.facts.backgroundSubtasks ?? []),
    callNames(recorded.conversation),
    recorded.conversation.at(-1)?.role,
  ];
}

const backgroundKey = (subtasks: readonly BackgroundSubtask[]) =>
  subtasks.map(({ rests, end }) => [rests, end?.kind]);

const kindOf = (id: string): string => id.split(":", 1)[0] ?? id;
