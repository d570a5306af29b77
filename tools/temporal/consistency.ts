import type { Effect } from "../../machines/tool-call/call.ts";
import { type AbstractEvent, type Allowance, abstractEvents } from "./abstract-event.ts";
import { TemporalError } from "./error.ts";
import { EFFECTS } from "./event.ts";
import type { Formula } from "./formula.ts";
import type { TemporalPolicy } from "./policy.ts";
import { compileFormulas } from "./program.ts";
import { advance, copyState, firstState, keyOf, MONITOR_LIMITS, type ProgramState } from "./state.ts";

/** Limits of the search for contradictions. */
export interface ConsistencyLimits {
  /** Maximum computed events and states. Default 100,000. What is not decided by then is no contradiction. */
  readonly steps: number;
}

const CONSISTENCY_LIMITS: ConsistencyLimits = { steps: 100_000 };

/** A possibility that policies must leave: a first event, a call, and a call of each effect that each clause alone permits. */
type Possibility = "first event" | "call" | Effect;
// Questions and completions are not judged: without them a task could not end.
const JUDGED = EFFECTS.filter((effect) => effect !== "asks");
const POSSIBILITIES: readonly Possibility[] = ["first event", "call", ...JUDGED];

interface NamedClause {
  readonly name: string;
  readonly always: Formula;
}

/**
 * Assert that policies do not contradict themselves or each other: that a task has a first event, that a call can start
 * after some events, and one of each effect that each clause alone permits. It throws only if none of any task ever can.
 *
 * @throws TemporalError `POLICY_CONTRADICTION`, which names the clauses; `POLICY_INVALID`, `POLICY_LIMIT`
 */
export function assertConsistent(
  policies: readonly TemporalPolicy[],
  { steps }: ConsistencyLimits = CONSISTENCY_LIMITS,
): void {
  const clauses = policies.flatMap(({ name, clauses }) =>
    clauses.map((clause) => ({ name: `clause ${clause.name} of policy ${name}`, always: clause.always })),
  );
  const allowance = { steps };
  let wanted = POSSIBILITIES;
  for (const clause of clauses) {
    const { unseen, isComplete } = explore([clause], POSSIBILITIES, allowance);
    const [first] = unseen;
    if (isComplete && (first === "first event" || first === "call")) throw contradiction([clause], first);
    wanted = wanted.filter((possibility) => !unseen.includes(possibility));
  }
  // Two clauses have fewer states than all of them: they are compared with what the search of all has left.
  const { unseen, isComplete } = explore(clauses, wanted, { steps: steps / 10 });
  for (const pair of unseen.length === 0 ? [] : pairsOf(clauses)) {
    const [missing] = impossibleUnder(pair, unseen, allowance);
    if (missing !== undefined) throw contradiction(pair, missing);
  }
  const [missing] = unseen;
  if (isComplete && missing !== undefined) throw contradiction(fewest(clauses, missing, allowance), missing);
}

/** The possibilities that the clauses exclude for certain. */
function impossibleUnder(
  clauses: readonly NamedClause[],
  wanted: readonly Possibility[],
  allowance: Allowance,
): readonly Possibility[] {
  const { unseen, isComplete } = explore(clauses, wanted, allowance);
  return isComplete ? unseen : [];
}

const pairsOf = <T>(values: readonly T[]): readonly (readonly [T, T])[] =>
  values.flatMap((one, at) => values.slice(at + 1).map((other) => [one, other] as const));

/** The clauses without those that are not needed for the contradiction. */
function fewest(
  clauses: readonly NamedClause[],
  missing: Possibility,
  allowance: Allowance,
): readonly NamedClause[] {
  return clauses.reduce((left, clause) => {
    const others = left.filter((one) => one !== clause);
    return impossibleUnder(others, [missing], allowance).length > 0 ? others : left;
  }, clauses);
}

function contradiction(clauses: readonly NamedClause[], missing: Possibility): TemporalError {
  const what = missing === "first event" || missing === "call" ? missing : `call with the effect ${missing}`;
  const names = clauses.map(({ name }) => name).join("; ");
  return new TemporalError(
    "POLICY_CONTRADICTION",
    `expected policies that permit a ${what} at some time, but no task ever has one under ${clauses.length === 1 ? "" : "these together: "}${names}. Correct or remove ${clauses.length === 1 ? "it" : "one of them"}.`,
  );
}

interface Explored {
  /** The possibilities that no state has. */
  readonly unseen: readonly Possibility[];
  /** Whether all states were explored, within the allowance. */
  readonly isComplete: boolean;
}

/** Explore the states of clauses over all abstract events, until all wanted possibilities are seen. */
function explore(
  clauses: readonly NamedClause[],
  wanted: readonly Possibility[],
  allowance: Allowance,
): Explored {
  const program = compileFormulas(clauses.map(({ always }) => always));
  const unseen = new Set(wanted);
  const events: AbstractEvent[] = [];
  const first = firstState(program);
  const states = new Map([[keyOf(program, first), first]]);
  for (const state of states.values())
    for (const event of state === first ? kept(abstractEvents(program, allowance), events) : events) {
      allowance.steps -= 1;
      if (allowance.steps < 0 || unseen.size === 0)
        return { unseen: [...unseen], isComplete: unseen.size === 0 };
      const next = after(event, state);
      if (program.roots.every((root) => next.now[root] === true)) see(unseen, event, state === first);
      const key = keyOf(program, next);
      if (!states.has(key)) states.set(key, next);
    }
  return { unseen: [...unseen], isComplete: allowance.steps >= 0 };
}

/** The values, which are added to a list as they are used. */
function* kept<T>(values: Iterable<T>, list: T[]): Generator<T> {
  for (const value of values) {
    list.push(value);
    yield value;
  }
}

/** The event is possible. */
function see(unseen: Set<Possibility>, { kind, effect }: AbstractEvent, isFirst: boolean): void {
  if (isFirst) unseen.delete("first event");
  if (kind !== "call.started") return;
  unseen.delete("call");
  if (effect !== undefined) unseen.delete(effect);
}

function after({ kind, program }: AbstractEvent, state: ProgramState): ProgramState {
  const next = copyState(state);
  advance(program, next, { event: { kind }, position: 0, bound: undefined, limits: MONITOR_LIMITS });
  return next;
}
