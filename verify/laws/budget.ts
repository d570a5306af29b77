import type { Budget } from "../../machines/task/task.events.ts";
import type { CallIn } from "../../machines/tool-call/call.ts";
import type { Grant } from "../../machines/tool-call/grant.ts";
import { backgroundEnds } from "./background-ends.ts";
import { appendedMessages } from "./changes.ts";
import { inBackground } from "./delegated-calls.ts";
import { settledEnds } from "./join.ts";
import { firstViolation, isSame, type Law, type Step } from "./law.ts";

type Amount = "requests" | "tasks" | "cost";
const AMOUNTS: readonly Amount[] = ["requests", "tasks", "cost"];

/** Sums of dollars are not exact. */
const TOLERANCE = 1e-9;
const isClose = (one: number, other: number): boolean => Math.abs(one - other) < TOLERANCE;

const NOTHING: Grant = { requests: 0, tasks: 0, depth: 0, cost: 0 };
const leftIn = (budget: Budget): Grant => (budget.state === "returned" ? NOTHING : budget.left);
const isSpent = ({ requests = 1, cost = 1 }: Grant): boolean => requests <= 0 || cost <= 0;

const sumOf = (amounts: readonly (number | undefined)[]): number =>
  amounts.reduce((sum: number, amount = 0) => sum + amount, 0);

const openedRequests = (step: Step): number =>
  appendedMessages(step).filter(({ say }) => say === "api_req_started").length;

/** The cost that the macrostep added to the task. Null: unknown. */
function addedCost({ before, after }: Step): number | null {
  const [was, is] = [before.context.total, after.context.total];
  if (was === is) return 0;
  return was.cost === null || is.cost === null ? null : is.cost - was.cost;
}

/** The subtasks that the macrostep started, with what it granted. */
function delegatedNow(step: Step): readonly Pick<CallIn<"delegated">, "childId" | "grant">[] {
  const { before, after, reopened } = step;
  if (reopened !== undefined) return [];
  const background = after.context.backgroundSubtasks.filter(
    ({ callId }) => inBackground(before, callId) === undefined,
  );
  return [...background, ...delegatedCalls(step)];
}

function delegatedCalls({ before, after }: Step): readonly CallIn<"delegated">[] {
  return after.context.turn.calls.flatMap((call) => {
    const isNew = !before.context.turn.calls.some(
      ({ callId, phase }) => callId === call.callId && phase === "delegated",
    );
    return call.phase === "delegated" && isNew ? [call] : [];
  });
}

/** Whether a person, or the rule of an expired ask, granted the amounts again. */
function isExtended({ before, event }: Step): boolean {
  if (event.type !== "ask.answered" && event.type !== "ask.expired") return false;
  const { ask, budget } = before.context;
  if (before.state !== "idle.limited" || event.askId !== ask?.id || event.answer.kind !== "yes") return false;
  return budget !== null && isSpent(leftIn(budget));
}

/** The rest at the start of the macrostep, with the amounts that were granted again. */
function leftBefore(step: Step, budget: Budget): Grant {
  const left = leftIn(budget);
  if (!isExtended(step)) return left;
  const { granted } = budget;
  const larger = (name: Amount) => Math.max(left[name] ?? 0, granted[name] ?? 0);
  return { ...granted, requests: larger("requests"), tasks: larger("tasks"), cost: larger("cost") };
}

/** The rest of a limited amount that must be left after the macrostep. */
function expectedLeft(step: Step, left: number, name: Amount): number {
  const delegated = delegatedNow(step);
  const lent = sumOf(delegated.map(({ grant }) => grant?.[name]));
  const returned = sumOf(
    [...settledEnds(step), ...backgroundEnds(step)].map((end) => ("rest" in end ? end.rest?.[name] : 0)),
  );
  const rest = left - lent + returned;
  if (name === "requests") return rest - openedRequests(step);
  if (name === "tasks") return rest - delegated.length;
  const cost = addedCost(step);
  return cost === null ? 0 : rest - cost;
}

/** The rest equals the rest before, less the amounts that were spent and lent, plus those that came back. */
function isBalanced(step: Step): string | undefined {
  const [was, is] = [step.before.context.budget, step.after.context.budget];
  if (was === null || is === null) return was === is ? undefined : "a budget appeared or was lost";
  if (!isSame(was.granted, is.granted)) return "the granted amounts changed";
  if (was.state === "returned" && !isExtended(step))
    return is.state === "returned" ? undefined : "a returned budget is held again";
  const before = leftBefore(step, was);
  const after = is.state === "returned" ? restIn(step) : is.left;
  for (const name of AMOUNTS) {
    const left = before[name];
    if (was.granted[name] === undefined || left === undefined) continue;
    const expected = expectedLeft(step, left, name);
    const actual = after?.[name];
    if (actual === undefined || !isClose(actual, expected))
      return `${actual} of ${name} are left, expected ${expected}`;
  }
  return isSame(after?.depth, before.depth) ? undefined : "the depth of the tree changed";
}

const restIn = ({ emitted }: Step): Grant | undefined =>
  emitted.flatMap((event) => (event.type === "task.completed" ? [event.rest] : []))[0];

/** A request starts only while requests and cost are left. */
function requestIsAllowed(step: Step): string | undefined {
  const { budget } = step.after.context;
  if (budget === null || openedRequests(step) === 0) return undefined;
  const { requests = 0, cost = 1 } = leftIn(budget);
  return budget.state === "returned" || requests < 0 || cost <= 0
    ? "a request was opened with a spent budget"
    : undefined;
}

/** A subtask starts within the budget: with a level, a subtask, requests and cost for it. */
function subtaskIsAllowed(step: Step): string | undefined {
  const { budget } = step.before.context;
  if (budget === null) return undefined;
  const { tasks = 1, depth = 1 } = leftIn(budget);
  for (const { childId, grant } of delegatedNow(step)) {
    if (grant === undefined) return `${childId} was started without a grant`;
    if (tasks < 1 || depth < 1)
      return `${childId} was started with ${tasks} subtasks and ${depth} levels left`;
    if (isSpent(grant) || (grant.tasks ?? 0) < 0) return `${childId} was granted ${JSON.stringify(grant)}`;
    if (grant.depth !== undefined && grant.depth !== depth - 1)
      return `${childId} was granted ${grant.depth} levels of ${depth}`;
  }
  return undefined;
}

/** A completed subtask gives the rest to its parent, once. */
function restIsReturned({ before, after, emitted }: Step): string | undefined {
  const completed = emitted.some(({ type }) => type === "task.completed");
  const was = before.context.budget?.state;
  const is = after.context.budget?.state;
  if (was === "lent" && completed !== (is === "returned"))
    return `the budget is ${is} after ${completed ? "a" : "no"} completion`;
  return emitted.some((event) => event.type === "task.completed" && event.rest !== undefined) &&
    was !== "lent"
    ? `a budget that is ${was} was returned`
    : undefined;
}

/**
 * BUDGET: what a task has left is what it was granted, less what it spent and lent, with what came back. So the tasks of a
 * tree never spend more than its root was granted, but for the cost of one request.
 */
export const budget: Law = {
  id: "BUDGET",
  title: "the rest of a budget is its grant, less what was spent and lent, plus what came back",
  violation: firstViolation(isBalanced, requestIsAllowed, subtaskIsAllowed, restIsReturned),
};
