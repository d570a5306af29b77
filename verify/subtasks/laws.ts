import { hasNoWork } from "../../machines/message/states.ts";
import type { CallIn } from "../../machines/tool-call/call.ts";
import { stateOf } from "./open-task.ts";
import { delegatedCall, isRecorded, mayPause, type Pair } from "./pair.ts";
import type { TasksLaw, TasksStep } from "./search.ts";

type PairStep = TasksStep<Pair>;

/** A law of a parent with its subtask: a predicate over one step. */
export type PairLaw = TasksLaw<Pair>;

const settledIn = ({ parent }: Pair): CallIn<"settled"> | undefined =>
  parent?.snapshot.context.turn.calls.find(
    (call): call is CallIn<"settled"> => call.phase === "settled" && call.name === "delegate",
  );

/** Whether the subtask's journal has a completion that a policy can accept. */
const isOffered = (pair: Pair): boolean =>
  pair.disk.child?.recorded.log.toArray().some(({ ask }) => ask === "completion_result") ?? false;

/** Whether the parent may have this result: its own cancel, or what the subtask's journal says or said when it was read. */
function mayHave(kind: string, { before, move }: PairStep): boolean {
  const { disk, wait, parent, wasStopped } = before;
  if (move === "a person cancels the parent") return kind === "interrupted";
  if (kind === "failed") return wait?.at === "ended" && wait.because !== undefined;
  // Read when the parent was opened, or before the journal was removed.
  const read = wait?.at === "ended" && wait.event.type === "subtask.ended" ? wait.event.end : undefined;
  const isGone = disk.child === undefined;
  const outcome = (parent && delegatedCall(parent)?.end) ?? (isGone ? read : disk.child?.outcome);
  if (kind === "done") return outcome?.kind === "finished" || isOffered(before);
  return (
    (outcome?.kind === "cancelled" && wasStopped) || outcome?.kind === "deleted" || (isGone && disk.isMarked)
  );
}

/** The requests that a parent opened. */
const requestsOf = ({ log }: NonNullable<Pair["parent"]>["snapshot"]["context"]): number =>
  log.toArray().filter(({ say }) => say === "api_req_started").length;

export const PAIR_LAWS: readonly PairLaw[] = [
  {
    id: "JOIN",
    title:
      "a parent's call is settled once, by the recorded end or the deletion of the subtask that it awaits",
    violation(step) {
      const { before, after } = step;
      if (after.settled > 1) return `the call was settled ${after.settled} times`;
      const now = settledIn(after);
      const wasAwaited = before.disk.parent.recorded.calls.some(({ phase }) => phase === "delegated");
      if (now === undefined || settledIn(before) !== undefined || !wasAwaited) return undefined;
      const { kind } = now.outcome;
      return mayHave(kind, step)
        ? undefined
        : `the call was settled as ${kind}, and its subtask has not ended so`;
    },
  },
  {
    id: "L12",
    title: "an effect of a subtask starts once, whichever process opens it and however often",
    violation: ({ after }) =>
      after.effects > 1 ? `the effect of the subtask started ${after.effects} times` : undefined,
  },
  {
    id: "L16",
    title: "a subtask that was deleted is never created again",
    violation: ({ before, after }) =>
      before.disk.isGone && after.disk.child !== undefined
        ? "a deleted subtask has a journal again"
        : undefined,
  },
  {
    id: "L16",
    title: "a subtask has a journal only if its parent's journal has the call that started it",
    violation: ({ before, after }) =>
      before.disk.child === undefined && after.disk.child !== undefined && !isRecorded(after)
        ? "the subtask is recorded, and its parent has not recorded that it waits for it"
        : undefined,
  },
  {
    id: "TREE",
    title: "a cancel of the parent cancels the subtask that its process has open, in the same step",
    violation: ({ move, after: { child, childIn } }) =>
      move === "a person cancels the parent" &&
      child !== undefined &&
      childIn === "A" &&
      !hasNoWork(stateOf(child))
        ? `the subtask is in ${stateOf(child)} after its parent was cancelled`
        : undefined,
  },
  {
    id: "PAUSE",
    title: "a pause ends the wait for a subtask only while the subtask rests",
    violation({ before, after: { wait, child } }) {
      const isEnded = wait?.at === "ended" && wait.event.type === "subtask.paused";
      if (!isEnded || before.wait?.at === "ended" || child === undefined) return undefined;
      return hasNoWork(stateOf(child))
        ? undefined
        : `the subtask is in ${stateOf(child)} and is reported as paused`;
    },
  },
  {
    id: "PAUSE",
    title: "a pause of the parent pauses the subtask that its process has open, in the same step",
    violation: ({ move, after: { child, childIn } }) =>
      move === "a person pauses the parent" && child !== undefined && childIn === "A" && mayPause(child)
        ? `the subtask is in ${stateOf(child)} and not paused after its parent was paused`
        : undefined,
  },
  {
    id: "BUDGET",
    title: "the grant of a subtask is deducted once, and its rest comes back once, with its result",
    violation({ after }) {
      const { parent, grant, rest: returned } = after;
      const { budget, children } = parent?.snapshot.context ?? {};
      if (parent === undefined || budget === undefined || budget === null || budget.state === "returned")
        return undefined;
      const lent = children === 1 ? (grant?.requests ?? 0) : 0;
      const rest = returned?.requests ?? 0;
      const own = (budget.granted.requests ?? 0) - requestsOf(parent.snapshot.context) - lent;
      const left = budget.left.requests ?? 0;
      const settled = settledIn(after);
      const mayBe = settled?.outcome.kind === "done" || settled === undefined ? [own, own + rest] : [own];
      return mayBe.includes(left) ? undefined : `${left} requests are left, expected ${mayBe.join(" or ")}`;
    },
  },
];

/** L13 of the pair: a property of the whole graph. */
export const PAIR_PROGRESS = {
  law: "L13",
  title: "from every state a parent and its subtask can come to rest",
} as const;

/** The parent is at rest, or never recorded its call; the subtask is closed or at rest; and nothing is left to do. */
export function isAtRest(pair: Pair): boolean {
  const { parent, child, wait, isDeleting } = pair;
  const rests = [parent, child].every(
    (task) => task === undefined || (task.pending.length === 0 && hasNoWork(stateOf(task))),
  );
  return rests && wait === undefined && !isDeleting && (parent !== undefined || !isRecorded(pair));
}
