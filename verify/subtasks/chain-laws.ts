import { detectAgentState } from "../../machines/message/detect.ts";
import { hasNoWork, topState } from "../../machines/message/states.ts";
import type { Budget } from "../../machines/task/task.events.ts";
import { expectedResult } from "../laws/expected-result.ts";
import { type Chain, nameOf, type Place, placeAt } from "./chain.ts";
import { type OpenTask, stateOf } from "./open-task.ts";
import { mayPause } from "./pair.ts";
import type { TasksLaw } from "./search.ts";

/** A law of a chain of tasks: a predicate over one step. */
export type ChainLaw = TasksLaw<Chain>;

/** The log of the open task, or else of its journal. */
const logOf = ({ task, journal }: Place) => (task?.snapshot.context.log ?? journal?.recorded.log)?.toArray();

/** The texts of the messages that report the end of a subtask. */
export const joinedIn = (place: Place): readonly string[] =>
  (logOf(place) ?? []).flatMap(({ say, text }) => (say === "subtask_result" ? [text ?? ""] : []));

/** The first violation of the chain at a depth, with the name of the task. */
function firstAt(
  { places }: Chain,
  violation: (place: Place, depth: number) => string | undefined,
): string | undefined {
  for (const [depth, place] of places.entries()) {
    const what = violation(place, depth);
    if (what !== undefined) return `${nameOf(depth)} ${what}`;
  }
  return undefined;
}

const worksIn = ({ task }: Place): boolean => task !== undefined && !hasNoWork(stateOf(task));

/** Texts with which a parent may report the end of its subtask. */
function endsOf({ journal, task }: Place, depth: number): readonly string[] {
  const childId = `p${".1".repeat(depth)}`;
  const cancelled = expectedResult({ childId }, { kind: "cancelled" }).text;
  const isOffered = journal?.recorded.log.toArray().some(({ ask }) => ask === "completion_result") === true;
  const result = (isOffered && (task?.snapshot.context.result ?? journal.recorded.facts.result)) || undefined;
  const ended = journal?.outcome && expectedResult({ childId }, journal.outcome).text;
  // A policy accepts the completion that was offered.
  return [ended ?? cancelled, cancelled, ...(result === undefined ? [] : [result])];
}

const requestsOf = (place: Place): number =>
  (logOf(place) ?? []).filter(({ say }) => say === "api_req_started").length;

function leftOf({ task, journal }: Place): number {
  const budget: Budget | null | undefined = task?.snapshot.context.budget ?? journal?.recorded.facts.budget;
  return budget === undefined || budget === null || budget.state === "returned"
    ? 0
    : (budget.left.requests ?? 0);
}

const grantedTo = ({ task, journal }: Place): number | undefined =>
  (task?.snapshot.context.budget ?? journal?.recorded.facts.budget)?.granted.requests;

export const CHAIN_LAWS: readonly ChainLaw[] = [
  {
    id: "L1",
    title: "the state of each task is the one that its log derives",
    violation: ({ after }) =>
      firstAt(after, ({ task }) => {
        if (task === undefined) return undefined;
        const derived = detectAgentState(task.snapshot.context.log).state;
        return derived === topState(stateOf(task))
          ? undefined
          : `is ${stateOf(task)}, its log derives ${derived}`;
      }),
  },
  {
    id: "JOIN",
    title: "each task reports the end of its own subtask once",
    violation: ({ before, after }) =>
      firstAt(after, (place, depth) => {
        const joined = joinedIn(place);
        if (joined.length > 1) return `reports ${joined.length} ends of its subtask`;
        if (joined.length <= joinedIn(placeAt(before, depth)).length) return undefined;
        const ends = endsOf(placeAt(before, depth + 1), depth + 1);
        return ends.includes(joined[0] ?? "")
          ? undefined
          : `reports ${joined[0]}, and its subtask ended as ${ends[0]}`;
      }),
  },
  {
    id: "JOIN",
    title: "a subtask completes only once its own subtask has ended",
    violation: ({ before, after }) =>
      firstAt(after, ({ journal }, depth) => {
        const isNew = placeAt(before, depth).journal?.outcome === undefined;
        return isNew &&
          journal?.outcome?.kind === "finished" &&
          [before, after].some((chain) => worksIn(placeAt(chain, depth + 1)))
          ? `has completed, and ${nameOf(depth + 1)} works`
          : undefined;
      }),
  },
  {
    id: "L12",
    title: "an effect starts once in each task, however often it is opened",
    violation: ({ after }) =>
      firstAt(after, ({ effects }) => (effects > 1 ? `started its effect ${effects} times` : undefined)),
  },
  {
    id: "L16",
    title: "a task has a journal only if its parent's journal has the call that started it",
    violation: ({ after }) =>
      firstAt(after, ({ journal }, depth) =>
        depth > 0 &&
        journal !== undefined &&
        (placeAt(after, depth - 1).journal?.recorded.facts.children ?? 0) < 1
          ? "is recorded, and its parent has not recorded that it waits for it"
          : undefined,
      ),
  },
  {
    id: "TREE",
    title: "after a cancel of the root no descendant works until a person resumes it",
    violation: ({ after }) =>
      after.isCancelled
        ? firstAt(after, (place) => (worksIn(place) ? "works after a cancel of the root" : undefined))
        : undefined,
  },
  {
    id: "PAUSE",
    title: "a pause of the root pauses each open task that works, in the same step",
    violation: ({ move, after }) =>
      move === "a person pauses the root"
        ? firstAt(after, ({ task }) => (task && mayPause(task) ? "was not paused with the root" : undefined))
        : undefined,
  },
  {
    id: "PAUSE",
    title: "a pause cancels no task: only a cancel of the root does, or a completion whose option says so",
    violation: ({ before, move, after }) =>
      move === "a person cancels the root"
        ? undefined
        : firstAt(after, ({ task }, depth) =>
            !cancelsAtCompletion(after) &&
            ((isCancelledNow(task) && worksIn(placeAt(before, depth))) ||
              recordsCancel(placeAt(before, depth - 1), placeAt(after, depth - 1), placeAt(after, depth)))
              ? "was cancelled by no cancel of the root"
              : undefined,
          ),
  },
  {
    id: "BUDGET",
    title: "the tasks of a tree never have more requests than its root was granted",
    violation({ after }) {
      const granted = grantedTo(placeAt(after, 0));
      if (granted === undefined) return undefined;
      const all = after.places.reduce((sum, place) => sum + requestsOf(place) + leftOf(place), 0);
      return all <= granted ? undefined : `${all} requests are made or left, of ${granted}`;
    },
  },
];

const isCancelledNow = (task: OpenTask | undefined): boolean =>
  task !== undefined && hasNoWork(stateOf(task)) && task.pending.at(-1)?.cause?.type === "task.cancel";

/** The subtasks in the background that the open task has as cancelled. */
const cancelledIn = ({ task }: Place): number =>
  task?.snapshot.context.backgroundSubtasks.filter(({ end }) => end?.kind === "cancelled").length ?? 0;

/** Whether a parent now has its subtask as cancelled, and the journal of the subtask does not. */
const recordsCancel = (was: Place, is: Place, { journal }: Place): boolean =>
  was.task !== undefined && cancelledIn(is) > cancelledIn(was) && journal?.outcome?.kind !== "cancelled";

const cancelsAtCompletion = ({ places }: Chain): boolean =>
  places.some(({ task }) => task?.snapshot.context.subtasksAtCompletion === "cancel");

/** L13 of a chain: a property of the whole graph. */
export const CHAIN_PROGRESS = {
  law: "L13",
  title: "from every state a tree of tasks can come to rest",
} as const;

/** Every open task is at rest, and nothing is left to do. */
export const isAtRest = ({ places }: Chain): boolean =>
  places.every(
    ({ task, wait }) =>
      wait === undefined && (task === undefined || (task.pending.length === 0 && hasNoWork(stateOf(task)))),
  ) && places[0]?.task !== undefined;
