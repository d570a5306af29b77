import { budgetTooSmall } from "../conversation/notices.ts";
import { type Grant, largerOf, putBack, shareOf, smallerOf, spend } from "../tool-call/grant.ts";
import type { Change } from "./change.ts";
import { BrokenInvariantError } from "./errors.ts";
import type { TaskContext } from "./task.context.ts";
import type { Budget } from "./task.events.ts";
import { callsIn, delegates } from "./turn.ts";

const NOTHING: Grant = { requests: 0, tasks: 0, cost: 0 };
const ONE_TASK: Grant = { tasks: 1 };
const ONE_REQUEST: Grant = { requests: 1 };

/** The amounts that the task may still spend. Undefined without a budget. */
function leftOf(budget: Budget | null): Grant | undefined {
  if (budget === null) return undefined;
  return budget.state === "returned" ? NOTHING : budget.left;
}

/** Records the budget of a new task. */
export function recordBudget(change: Change): void {
  const { budget } = change.context;
  if (budget !== null) change.set({ budget });
}

function setLeft(change: Change, next: (left: Grant) => Grant): void {
  const { budget } = change.context;
  if (budget === null || budget.state === "returned") return;
  change.set({ budget: { ...budget, left: next(budget.left) } });
}

export const spendRequest = (change: Change): void => setLeft(change, (left) => spend(left, ONE_REQUEST));

/** Spends the cost of a request. One of an unknown cost spends all of it. */
export const spendCost = (change: Change, cost: number | null): void =>
  setLeft(change, (left) => spend(left, { cost: cost ?? left.cost ?? 0 }));

const isSpent = (amount: number | undefined): boolean => amount !== undefined && amount <= 0;

/** The amount of the budget that allows no further request. */
export function spentAmount(budget: Budget | null): "requests" | "cost" | undefined {
  const left = leftOf(budget);
  if (isSpent(left?.requests)) return "requests";
  return isSpent(left?.cost) ? "cost" : undefined;
}

/** The share of what is left that the next subtask is granted: as much for each of those that wait to start. */
function nextShare(context: TaskContext): number {
  const { subtaskShare } = context.limits;
  const waiting = callsIn(context, "approved").filter(delegates).length;
  return subtaskShare / (1 + Math.max(0, waiting - 1) * subtaskShare);
}

/** The reason why the budget allows no further subtask. */
export function refusedSubtask(context: TaskContext): string | undefined {
  const left = leftOf(context.budget);
  if (left === undefined) return undefined;
  const { requests, cost } = shareOf(left, nextShare(context));
  if (isSpent(left.depth)) return budgetTooSmall("levels of subtasks");
  if (isSpent(left.tasks)) return budgetTooSmall("subtasks");
  if (isSpent(requests)) return budgetTooSmall("requests");
  return isSpent(cost) ? budgetTooSmall("dollars") : undefined;
}

/**
 * Deducts what a subtask is granted: its share, or less if less is requested. Without a budget, it is granted the request.
 */
export function deductGrant(change: Change, requested: Grant = {}): Grant | undefined {
  if (refusedSubtask(change.context) !== undefined)
    throw new BrokenInvariantError("a subtask starts that the budget does not allow");
  const left = leftOf(change.context.budget);
  if (left === undefined) return Object.keys(requested).length === 0 ? undefined : requested;
  const rest = spend(left, ONE_TASK);
  const grant = smallerOf(shareOf(rest, nextShare(change.context)), requested);
  setLeft(change, () => spend(rest, grant));
  return grant;
}

/** Puts back what an ended subtask has not spent. */
export function putBackRest(change: Change, rest: Grant | undefined): void {
  if (rest !== undefined) setLeft(change, (left) => putBack(left, rest));
}

/** Gives the rest of a subtask's grant to its parent, with its result. The task can't spend it any more. */
export function returnRest(change: Change): Grant | undefined {
  const { budget } = change.context;
  if (budget?.state !== "lent") return undefined;
  change.set({ budget: { state: "returned", granted: budget.granted } });
  return budget.left;
}

/** Grants the amounts of a spent budget again, after a person's yes. */
export function extendSpentBudget(change: Change): void {
  const { budget } = change.context;
  if (budget === null || spentAmount(budget) === undefined) return;
  const { granted } = budget;
  change.set({
    budget:
      budget.state === "returned"
        ? { state: "own", granted, left: granted }
        : { ...budget, left: largerOf(budget.left, granted) },
  });
}
