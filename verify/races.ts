import type { taskMachine } from "../machines/task/task.machine.ts";
import { abstractionOf, differsIn } from "./abstraction.ts";
import type { Bounds } from "./bounds.ts";
import type { Case } from "./cases.ts";
import { crashesAt, eventsAt } from "./environment.ts";
import { explore, type Violation, type Visited } from "./exploration.ts";
import type { PathEvent } from "./graph.ts";
import { checkLaw, type Law } from "./laws/law.ts";
import { MachineRunner } from "./runner.ts";
import { type SettledState, Stepper } from "./stepper.ts";

type Machine = typeof taskMachine;

/** How the outcomes of two events compare in both orders. */
type RaceOutcome =
  | "same outcome"
  | "the first decides, the second comes late"
  | "after one of them the other comes late"
  | "both count, in the order they came";

/** Two events, and all the states with the same kind of outcome. */
export interface Race {
  readonly first: string;
  readonly second: string;
  readonly end: RaceOutcome;
  /** Number of states with this outcome. */
  readonly states: number;
  /** The same number by the state of the machine, as a dotted path. */
  readonly in: ReadonlyMap<string, number>;
  /** Resulting states per order: `first` before `second`, and after it. */
  readonly outcomes: readonly [ReadonlySet<string>, ReadonlySet<string>];
  /** Parts of the abstraction in which the outcomes differ. */
  readonly differsIn: ReadonlySet<string>;
}

export interface RaceMatrix {
  /** Explored states, and those whose pairs were checked: one of each kind. */
  readonly states: number;
  readonly sampled: number;
  readonly complete: boolean;
  /** Checked pairs, each in both orders. */
  readonly pairs: number;
  readonly races: readonly Race[];
  readonly violations: readonly Violation[];
}

export interface RaceOptions extends Omit<Case, "name"> {
  readonly machine: Machine;
  readonly laws: readonly Law[];
  readonly maxStates?: number;
  /** Whether to check every state, or the first of each kind. Default false. */
  readonly everywhere?: boolean;
}

/**
 * Check every two events that may race, in both orders: commands, events of actors, late ones included, and, within
 * the bounds, a crash. All laws are checked in both orders. Two states are of one kind if the machine state and the
 * accepted events are the same; without `everywhere`, only the first state of each kind is checked.
 */
export function exploreRaces(options: RaceOptions): RaceMatrix {
  const { machine, laws, bounds, input, maxStates } = options;
  const explorer = new RaceExplorer(options);
  const { states, complete, violations } = explore({
    machine,
    laws,
    bounds,
    input,
    ...(maxStates !== undefined && { maxStates }),
    onState: (visited) => explorer.sample(visited),
  });
  const { sampled, pairs, races } = explorer;
  return { states, sampled, complete, pairs, races, violations: [...violations, ...explorer.violations] };
}

/** The result of one event. */
interface Outcome extends SettledState {
  readonly pathEvent: PathEvent;
  readonly isChange: boolean;
}

interface MutableRace extends Race {
  states: number;
  readonly in: Map<string, number>;
  readonly outcomes: readonly [Set<string>, Set<string>];
  readonly differsIn: Set<string>;
}

class RaceExplorer {
  sampled = 0;
  pairs = 0;
  readonly violations: Violation[] = [];
  readonly #stepper: Stepper;
  readonly #laws: readonly Law[];
  readonly #kinds = new Set<string>();
  readonly #races = new Map<string, MutableRace>();

  readonly #bounds: Bounds;
  readonly #everywhere: boolean;

  constructor({ machine, laws, bounds, input, everywhere = false }: RaceOptions) {
    const given = { taskId: "explored", ...input };
    this.#stepper = new Stepper(new MachineRunner(machine, given), given);
    this.#everywhere = everywhere;
    this.#laws = laws;
    this.#bounds = bounds;
  }

  get races(): readonly Race[] {
    return [...this.#races.keys()].sort().flatMap((key) => this.#races.get(key) ?? []);
  }

  sample(visited: Visited): void {
    const alone = this.#eventsAt(visited).flatMap((one) => this.#after(visited, one, visited, []) ?? []);
    const labels = alone.map(labelOf);
    const kind = [visited.view.state, ...labels].join("|");
    if (this.#kinds.has(kind) && !this.#everywhere) return;
    this.#kinds.add(kind);
    this.sampled += 1;
    for (const [at, a] of alone.entries())
      for (const b of alone.slice(at + 1)) if (a.isChange || b.isChange) this.#race(a, b, visited);
  }

  /** Events of the state, and its simplest crash. */
  #eventsAt({ view, spent }: Visited): readonly PathEvent[] {
    const crashes = crashesAt(view, spent, this.#bounds).slice(0, 1);
    return [...eventsAt(view, spent, this.#bounds), ...crashes];
  }

  #race(a: Outcome, b: Outcome, visited: Visited): void {
    const ab = this.#after(a, b.pathEvent, visited, [a.pathEvent]);
    const ba = this.#after(b, a.pathEvent, visited, [b.pathEvent]);
    if (ab === undefined || ba === undefined) return;
    this.pairs += 1;
    const isInOrder = labelOf(a) <= labelOf(b);
    const [first, second] = isInOrder ? [a, b] : [b, a];
    const [one, other] = isInOrder ? [ab, ba] : [ba, ab];
    const keys = [one, other].map(({ view }) => abstractionOf(view, visited.spent, this.#bounds));
    const differing = differsIn(keys[0] ?? "", keys[1] ?? "");
    const end = differing.length === 0 ? "same outcome" : outcomeOf(one.isChange, other.isChange);
    const race = this.#raceOf(labelOf(first), labelOf(second), end);
    const { state } = visited.view;
    race.states += 1;
    race.in.set(state, (race.in.get(state) ?? 0) + 1);
    race.outcomes[0].add(one.view.state);
    race.outcomes[1].add(other.view.state);
    for (const part of differing) race.differsIn.add(part);
  }

  #raceOf(first: string, second: string, end: RaceOutcome): MutableRace {
    const key = `${first}\n${second}\n${end}`;
    const known = this.#races.get(key);
    if (known !== undefined) return known;
    const outcomes = [new Set<string>(), new Set<string>()] as const;
    const race = { first, second, end, states: 0, in: new Map(), outcomes, differsIn: new Set<string>() };
    this.#races.set(key, race);
    return race;
  }

  /** Run a macrostep and check the laws. Returns undefined if the machine threw. */
  #after(
    from: SettledState,
    pathEvent: PathEvent,
    { path }: Visited,
    then: readonly PathEvent[],
  ): Outcome | undefined {
    const violate = (law: string, title: string, what: string): void => {
      this.violations.push({ law, title, what, path: [...path(), ...then, pathEvent] });
    };
    try {
      const { step, snapshot, isChange } = this.#stepper.step(from, pathEvent);
      if (!isChange) return { view: from.view, snapshot: from.snapshot, pathEvent, isChange };
      for (const law of this.#laws) {
        const what = checkLaw(step, law);
        if (what !== undefined) violate(law.id, law.title, what);
      }
      return { pathEvent, view: step.after, snapshot, isChange };
    } catch (error) {
      violate("INVARIANT", "the machine throws nothing", String(error));
      return undefined;
    }
  }
}

/** Classify different outcomes by whether the second event changed anything in each order. */
function outcomeOf(secondAfterFirst: boolean, firstAfterSecond: boolean): RaceOutcome {
  if (!secondAfterFirst && !firstAfterSecond) return "the first decides, the second comes late";
  if (secondAfterFirst && firstAfterSecond) return "both count, in the order they came";
  return "after one of them the other comes late";
}

/** Label of an event: its type and kind; `late` if it changes nothing. */
function labelOf({ pathEvent, isChange }: Pick<Outcome, "pathEvent" | "isChange">): string {
  const kind = kindOf(pathEvent);
  return [pathEvent.type, ...(kind === "" ? [] : [kind]), ...(isChange ? [] : ["late"])].join(" ");
}

function kindOf(event: PathEvent): string {
  switch (event.type) {
    case "ask.answered":
    case "ask.expired":
      return event.answer.kind;
    case "call.reviewed":
      return event.review.valid ? event.review.verdict.kind : "invalid";
    case "subtask.ended":
      return event.end.kind;
    case "llm.finished":
      return event.stopReason;
    case "llm.failed":
      return event.failure.retryable ? "retryable" : "final";
    default:
      return "";
  }
}
