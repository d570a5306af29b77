import { isAskType } from "../../../machines/message/asks.ts";
import type { Log } from "../../../machines/message/log.ts";
import { isRequestOpen, newestRequest } from "../../../machines/message/request.ts";
import { initialContext } from "../../../machines/task/lifecycle.ts";
import type { OpenAsk, RecordedState, TaskContext } from "../../../machines/task/task.context.ts";
import type { Candidate, Explanation } from "../../../wire/http/explanation.ts";
import type { TraceReader } from "../moment.ts";
import type { Microstep } from "../trace-event.ts";
import { candidatesOf, guardsOn } from "./candidates.ts";

/** Parts of the context that a journal has whole. */
const RECORDED = [
  "taskId",
  "log",
  "conversation",
  "queue",
  "ask",
  "request",
] as const satisfies readonly (keyof TaskContext)[];

/** Facts that have the same first value in every task: a journal has them once they change. */
const COUNTED = [
  "counters",
  "background",
  "failedDiffs",
  "retryAt",
] as const satisfies readonly (keyof TaskContext)[];

/** Here the closed ask of a completion still takes feedback, and no message says so. */
const TAKES_FEEDBACK: ReadonlySet<string> = new Set(["idle.completed", "idle.declined"]);

/** A journal does not have the limits of a task: the default ones are assumed. */
const ASSUMED = "limits";

/**
 * Explain an event by what its journal has: guards that read anything else are unknown. Undefined for an event that is no
 * macrostep with a cause.
 *
 * Where the event has microsteps, the transition that was taken is known in any case.
 */
export function explainRecorded(trace: TraceReader, at: number): Explanation | undefined {
  const { record, microsteps } = trace.event(at);
  if (record.kind !== "commit" || record.cause === undefined || at === 0) return undefined;
  const { before, after, cause } = record;
  const candidates = recordedCandidates(trace, at).map(taken(microsteps?.[0]));
  return {
    source: "journal",
    event: cause.type,
    before,
    after,
    steps: [{ state: before, event: cause.type, candidates }],
  };
}

/** The candidates for an event, with the verdicts of this package's guards on what the journal has. */
export function recordedCandidates(trace: TraceReader, at: number): readonly Candidate[] {
  const { record } = trace.event(at);
  if (record.kind !== "commit" || record.cause === undefined || at === 0) return [];
  const { before, cause } = record;
  const { memory } = trace.moment(at - 1);
  const context = contextOf(trace.taskId, memory);
  const known = new Set<string>([...RECORDED, ...COUNTED, ASSUMED, ...Object.keys(memory.facts)]);
  if (TAKES_FEEDBACK.has(before)) known.delete("ask");
  const isKnown = (path: string): boolean =>
    path.startsWith("event.") ? hasPath(cause, path.slice("event.".length)) : known.has(topOf(path));
  return candidatesOf(before, cause.type, guardsOn({ context, event: cause }, isKnown)).map(assumed);
}

function contextOf(taskId: string, { log, conversation, queue, facts }: RecordedState): TaskContext {
  const request = newestRequest(log);
  return {
    ...initialContext({ input: { taskId } }),
    ...facts,
    log,
    conversation,
    queue,
    ask: openAskIn(log),
    request: request !== undefined && isRequestOpen(request) ? request.ts : undefined,
  };
}

function openAskIn(log: Log): OpenAsk | undefined {
  const last = log.at(-1);
  if (last?.type !== "ask" || last.closing !== undefined || !isAskType(last.ask)) return undefined;
  return { id: last.ts, ask: last.ask, ...(last.callId !== undefined && { callId: last.callId }) };
}

const topOf = (path: string): string => /^[^.[]*/.exec(path)?.[0] ?? path;

/** Whether an event has a value at a path such as `answer.kind`. */
function hasPath(value: unknown, path: string): boolean {
  let inner = value;
  for (const name of path.split(".")) {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, name)) return false;
    inner = Reflect.get(inner, name);
  }
  return inner !== undefined;
}

/** A candidate that names the limits as those that are assumed. */
const assumed = (candidate: Candidate): Candidate => ({
  ...candidate,
  reads: candidate.reads.map(({ path, value }) => ({
    path,
    value: topOf(path) === ASSUMED ? `${value}, the default` : value,
  })),
});

/** A candidate with the verdict that the machine reported, where it was inspected. */
const taken =
  (microstep: Microstep | undefined) =>
  (candidate: Candidate): Candidate => {
    const isTaken = microstep?.transitions.some(
      ({ source, guard }) => source === candidate.state && guard === candidate.guard,
    );
    if (isTaken === undefined) return candidate;
    if (isTaken) return { ...candidate, verdict: "taken" };
    return candidate.verdict === "taken" ? { ...candidate, verdict: "passes" } : candidate;
  };
