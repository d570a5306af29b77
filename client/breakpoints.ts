import { BehaviorSubject, type Observable } from "rxjs";
import type { Pass } from "../actors/index.ts";
import { detectAgentState, type Log } from "../machines/message/index.ts";

/** Where the events of a task's actors are held before the machine takes them. */
export interface BreakpointSettings {
  /** Dotted paths: all events are held once the task has come to one of these states, or into one of theirs. */
  readonly states?: readonly string[];
  /** Types of events that are held, and all behind them. */
  readonly events?: readonly string[];
  /** Whether all events are held once the rows mean another state than the machine is in (L1). */
  readonly laws?: boolean;
  /** Whether the very next event is held. */
  readonly pause?: boolean;
}

/** Where a task's machine is after a macrostep. */
export interface Reached {
  /** As a dotted path. */
  readonly state: string;
  readonly log: Log;
}

type Watch = (listener: (reached: Reached) => void) => () => void;

/** An event that waits. */
export interface HeldEvent {
  readonly type: string;
}

interface Waiting extends HeldEvent {
  readonly deliver: () => void;
}

/**
 * Holds what the actors at a task's edge send to its machine, so that a person can look at it between two macrosteps.
 * What a user sends passes, a cancel before all; what a stopped actor had sent is dropped (L10). Nothing is lost and
 * nothing changes its place.
 *
 * @example
 * ```ts
 * import { Breakpoints } from "signalbox";
 * const breakpoints = new Breakpoints(() => () => {}); // a task has its own: task.breakpoints
 * breakpoints.set({ events: ["tool.finished"] });
 * breakpoints.pass({ type: "tool.finished" }, () => {});
 * console.log(breakpoints.held.length); // 1
 * console.log(breakpoints.step(), breakpoints.held.length); // true 0
 * ```
 */
export class Breakpoints {
  readonly #watch: Watch;
  readonly #held = new BehaviorSubject<readonly HeldEvent[]>([]);
  #settings: BreakpointSettings = {};
  #waiting: readonly Waiting[] = [];
  #isHolding = false;
  #unwatch: (() => void) | undefined;
  #state = "";

  /** `watch` tells where the machine is after each macrostep, until what it gives is called. */
  constructor(watch: Watch) {
    this.#watch = watch;
  }

  /** What is held now, the next one first; then as it changes. Completes when the task is closed. */
  get held$(): Observable<readonly HeldEvent[]> {
    return this.#held.asObservable();
  }

  get held(): readonly HeldEvent[] {
    return this.#waiting;
  }

  /** Whether the next event is held, also where none waits yet. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  get settings(): BreakpointSettings {
    return this.#settings;
  }

  /** Sets where events are held from now on. What is held for no reason any more goes on. */
  set(settings: BreakpointSettings): void {
    this.#settings = settings;
    this.#unwatch?.();
    this.#unwatch = undefined;
    const { states = [], events = [], laws = false, pause = false } = settings;
    const isWatched = states.length > 0 || laws;
    if (isWatched) this.#unwatch = this.#watch((reached) => this.#came(reached));
    if (pause) this.#isHolding = true;
    else if (!isWatched && events.length === 0) this.resume();
  }

  /** Lets the next held event pass. False where none waits: then the next one that comes is held. */
  step(): boolean {
    const [first, ...rest] = this.#waiting;
    this.#isHolding = true;
    if (first === undefined) return false;
    this.#keep(rest);
    first.deliver();
    return true;
  }

  /** Lets what is held pass, up to the next breakpoint. */
  resume(): void {
    this.#isHolding = false;
    // The first was held here already.
    for (let first = this.#waiting[0]; first !== undefined && !this.#isHolding; first = this.#waiting[0]) {
      this.#keep(this.#waiting.slice(1));
      first.deliver();
      const next = this.#waiting[0];
      if (next !== undefined && this.#isNamed(next)) this.#isHolding = true;
    }
  }

  /** The edge's way to the machine. */
  readonly pass: Pass = (event, deliver) => {
    if (!this.#isHolding && this.#isNamed(event)) this.#isHolding = true;
    if (this.#isHolding || this.#waiting.length > 0)
      this.#keep([...this.#waiting, { type: event.type, deliver }]);
    else deliver();
  };

  /** Forgets what is held: the task has ended. */
  close(): void {
    this.#unwatch?.();
    this.#isHolding = false;
    this.#keep([]);
    this.#held.complete();
  }

  #keep(waiting: readonly Waiting[]): void {
    this.#waiting = waiting;
    this.#held.next(waiting.map(({ type }) => ({ type })));
  }

  #isNamed({ type }: HeldEvent): boolean {
    return this.#settings.events?.includes(type) === true;
  }

  #came({ state, log }: Reached): void {
    const { states = [], laws = false } = this.#settings;
    const before = this.#state;
    this.#state = state;
    const isCome = states.some((named) => isIn(named, state) && !isIn(named, before));
    if (isCome || (laws && !isIn(detectAgentState(log).state, state))) this.#isHolding = true;
  }
}

const isIn = (named: string, path: string): boolean => path === named || path.startsWith(`${named}.`);
