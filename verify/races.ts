import type { taskMachine } from "../machines/task/index.ts";
import { abstractionOf, differsIn } from "./abstraction.ts";
import type { Case } from "./cases.ts";
import { type Bounds, crashesAt, eventsAt } from "./environment.ts";
import { explore, type Violation, type Visited } from "./exploration.ts";
import type { PathEvent } from "./graph.ts";
import { checkLaw, type Law } from "./laws/index.ts";
import { MachineRunner } from "./runner.ts";
import { type SettledState, Stepper } from "./stepper.ts";

type Machine = typeof taskMachine;

/** How two events that meet fare in both orders, and why the laws hold for both. */
export type RaceOutcome =
  | "same outcome"
  | "the first decides, the second comes late"
  | "after one of them the other comes late"
  | "both count, in the order they came";

/** Two events, and all the states in which they met and fared alike. */
export interface Race {
  readonly first: string;
  readonly second: string;
  readonly end: RaceOutcome;
  /** In how many states they met so. */
  readonly states: number;
  /** The states that each order led to: `first` before `second`, and after it. */
  readonly outcomes: readonly [ReadonlySet<string>, ReadonlySet<string>];
  /** In what the outcomes differ, of what the abstraction keeps. */
  readonly differsIn: ReadonlySet<string>;
}

export interface RaceMatrix {
  /** States of the exploration, and those of them whose pairs were played: one of each kind. */
  readonly states: number;
  readonly sampled: number;
  readonly complete: boolean;
  /** Pairs that were played, each in both orders. */
  readonly pairs: number;
  readonly races: readonly Race[];
  readonly violations: readonly Violation[];
}

export interface RaceOptions extends Omit<Case, "name"> {
  readonly machine: Machine;
  readonly laws: readonly Law[];
  readonly maxStates?: number;
  /** Whether they meet at every state, or at the first of each kind. Default false. */
  readonly everywhere?: boolean;
}

/**
 * Plays every two events that may meet, in both orders, wherever the machine takes either: commands, words of actors,
 * late ones too, and, within the bounds, the end of the process. All laws are held in both orders. Two states of an
 * exploration are of one kind if the machine is in the same state and takes the same events there; unless it is to be
 * `everywhere`, the first of each kind that is reached is played.
 */
export function exploreRaces(options: RaceOptions): RaceMatrix {
  const { machine, laws, bounds, input, maxStates } = options;
  const meeting = new Meeting(options);
  const { states, complete, violations } = explore({
    machine,
    laws,
    bounds,
    input,
    ...(maxStates !== undefined && { maxStates }),
    onState: (visited) => meeting.play(visited),
  });
  const { sampled, pairs, races } = meeting;
  return { states, sampled, complete, pairs, races, violations: [...violations, ...meeting.violations] };
}

/** What one event led to. */
interface Outcome extends SettledState {
  readonly pathEvent: PathEvent;
  readonly isChange: boolean;
}

interface OpenRace extends Race {
  states: number;
  readonly outcomes: readonly [Set<string>, Set<string>];
  readonly differsIn: Set<string>;
}

class Meeting {
  sampled = 0;
  pairs = 0;
  readonly violations: Violation[] = [];
  readonly #stepper: Stepper;
  readonly #laws: readonly Law[];
  readonly #kinds = new Set<string>();
  readonly #races = new Map<string, OpenRace>();

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

  play(visited: Visited): void {
    const alone = this.#happeningsAt(visited).flatMap((one) => this.#after(visited, one, visited, []) ?? []);
    const labels = alone.map(labelOf);
    const kind = [visited.view.state, ...labels].join("|");
    if (this.#kinds.has(kind) && !this.#everywhere) return;
    this.#kinds.add(kind);
    this.sampled += 1;
    for (const [at, a] of alone.entries())
      for (const b of alone.slice(at + 1)) if (a.isChange || b.isChange) this.#meet(a, b, visited);
  }

  /** Of the ways in which the process may end here, the plainest. */
  #happeningsAt({ view, spent }: Visited): readonly PathEvent[] {
    const crashes = crashesAt(view, spent, this.#bounds).slice(0, 1);
    return [...eventsAt(view, spent, this.#bounds), ...crashes];
  }

  #meet(a: Outcome, b: Outcome, visited: Visited): void {
    const ab = this.#after(a, b.pathEvent, visited, [a.pathEvent]);
    const ba = this.#after(b, a.pathEvent, visited, [b.pathEvent]);
    if (ab === undefined || ba === undefined) return;
    this.pairs += 1;
    const isInOrder = labelOf(a) <= labelOf(b);
    const [first, second] = isInOrder ? [a, b] : [b, a];
    const [one, other] = isInOrder ? [ab, ba] : [ba, ab];
    const keys = [one, other].map(({ view }) => abstractionOf(view, visited.spent, this.#bounds));
    const differing = differsIn(keys[0] ?? "", keys[1] ?? "");
    const end = differing.length === 0 ? "same outcome" : endOf(one.isChange, other.isChange);
    this.#note(labelOf(first), labelOf(second), end, [one.view.state, other.view.state], differing);
  }

  #note(
    first: string,
    second: string,
    end: RaceOutcome,
    [one, other]: readonly [string, string],
    differing: readonly string[],
  ): void {
    const key = `${first}\n${second}\n${end}`;
    const known = this.#races.get(key);
    const race = known ?? {
      first,
      second,
      end,
      states: 0,
      outcomes: [new Set(), new Set()],
      differsIn: new Set(),
    };
    race.states += 1;
    race.outcomes[0].add(one);
    race.outcomes[1].add(other);
    for (const part of differing) race.differsIn.add(part);
    if (known === undefined) this.#races.set(key, race);
  }

  /** The macrostep, with all laws held against it; undefined if the machine threw. */
  #after(
    from: SettledState,
    pathEvent: PathEvent,
    { path }: Visited,
    then: readonly PathEvent[],
  ): Outcome | undefined {
    const broken = (law: string, title: string, what: string): void => {
      this.violations.push({ law, title, what, path: [...path(), ...then, pathEvent] });
    };
    try {
      const { step, snapshot, isChange } = this.#stepper.step(from, pathEvent);
      if (!isChange) return { view: from.view, snapshot: from.snapshot, pathEvent, isChange };
      for (const law of this.#laws) {
        const what = checkLaw(step, law);
        if (what !== undefined) broken(law.id, law.title, what);
      }
      return { pathEvent, view: step.after, snapshot, isChange };
    } catch (error) {
      broken("INVARIANT", "the machine throws nothing", String(error));
      return undefined;
    }
  }
}

/** Both orders led elsewhere. Whether the second event was taken in each says why. */
function endOf(secondAfterFirst: boolean, firstAfterSecond: boolean): RaceOutcome {
  if (!secondAfterFirst && !firstAfterSecond) return "the first decides, the second comes late";
  if (secondAfterFirst && firstAfterSecond) return "both count, in the order they came";
  return "after one of them the other comes late";
}

/** An event in a few words: its type, and what decides where it leads; `late` where it changes nothing. */
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
