import { BehaviorSubject, type Observable } from "rxjs";
import type { Pass } from "../actors/index.ts";
import { EventLine, type HeldEvent, type HeldEvents } from "./held-events.ts";
import type { BrokenLaw } from "./law-check.ts";

/** Where the events of a task's actors are held before the machine takes them. */
export interface BreakpointSettings {
  /** Dotted paths: all events are held once the task has come to one of these states, or into one of theirs. */
  readonly states?: readonly string[];
  /** Types of events that are held, and all behind them. */
  readonly events?: readonly string[];
  /** Whether all events are held once a macrostep broke one of the task's `laws`; where it has none given, L1. */
  readonly laws?: boolean;
  /** Whether the very next event is held. */
  readonly pause?: boolean;
}

/** How much breakpoints hold (L14). */
export interface BreakpointLimits {
  /**
   * Events that wait at once: with one more the breakpoints are lifted. Default 10,000, some four minutes of words
   * that stream in.
   */
  readonly heldEvents: number;
}

export const DEFAULT_BREAKPOINT_LIMITS: BreakpointLimits = { heldEvents: 10_000 };

/** Why breakpoints were lifted by themselves. */
export interface LiftedBreakpoints {
  readonly code: "HELD_LIMIT";
  /** Says which limit, and what to do. */
  readonly message: string;
  /** What was set until then. */
  readonly settings: BreakpointSettings;
}

/** Where a task's machine is after a macrostep. */
export interface Reached {
  /** As a dotted path. */
  readonly state: string;
  /** The law that the macrostep broke, where laws are held. */
  readonly broken?: BrokenLaw;
}

type Watch = (listener: (reached: Reached) => void, holdsLaws: boolean) => () => void;

/**
 * Holds what the actors at a task's edge send to its machine, so that a person can look at it between two macrosteps.
 * What a user sends passes, a cancel before all; what a stopped actor had sent is dropped (L10). Nothing is lost and
 * nothing changes its place, also where a listener steps while an event is on its way.
 *
 * What is held is bounded (L14): with one event more than `heldEvents` the breakpoints are lifted, all that was held
 * goes on in its order, and `lifted` says so.
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
  readonly #limit: number;
  readonly #line = new EventLine();
  readonly #held = new BehaviorSubject<HeldEvents>(this.#line.shown);
  #settings: BreakpointSettings = {};
  #lifted: LiftedBreakpoints | undefined;
  #broken: BrokenLaw | undefined;
  #isHolding = false;
  /** Events that may pass although events are held. */
  #steps = 0;
  /** Stood at the front when all were let go: it was held here already. */
  #letGo: HeldEvent | undefined;
  #isPassing = false;
  #unwatch: (() => void) | undefined;
  #state = "";

  /** `watch` tells where the machine is after each macrostep, and which law that broke, until what it gives is called. */
  constructor(watch: Watch, limits: Partial<BreakpointLimits> = {}) {
    this.#watch = watch;
    this.#limit = limits.heldEvents ?? DEFAULT_BREAKPOINT_LIMITS.heldEvents;
  }

  /** What is held now, the next one first; then as it changes. Completes when the task is closed. */
  get held$(): Observable<HeldEvents> {
    return this.#held.asObservable();
  }

  get held(): HeldEvents {
    return this.#line.shown;
  }

  /** Whether the next event is held, also where none waits yet. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  get settings(): BreakpointSettings {
    return this.#settings;
  }

  /** There once more was held than `heldEvents` (L14), until events are held again by `set` or `step`. */
  get lifted(): LiftedBreakpoints | undefined {
    return this.#lifted;
  }

  /** The newest law that a macrostep broke, while events are held for it: until `resume`, or `set`. */
  get broken(): BrokenLaw | undefined {
    return this.#broken;
  }

  /** Sets where events are held from now on. What is held stays so while anything is set, and else goes on. */
  set(settings: BreakpointSettings): void {
    this.#lifted = undefined;
    this.#broken = undefined;
    this.#apply(settings);
  }

  /** Lets the next held event pass. False where none waits: then the next one that comes is held. */
  step(): boolean {
    this.#lifted = undefined;
    this.#isHolding = true;
    if (this.#line.length <= this.#steps) return false;
    this.#steps += 1;
    this.#passOn();
    return true;
  }

  /** Lets what is held pass, up to the next breakpoint. */
  resume(): void {
    this.#isHolding = false;
    this.#broken = undefined;
    this.#steps = 0;
    this.#letGo = this.#line.first;
    this.#passOn();
  }

  /** The edge's way to the machine. */
  readonly pass: Pass = (event, deliver) => {
    const isFree = !this.#isHolding && !this.#isPassing && this.#line.length === 0;
    if (isFree && !this.#isNamed(event)) {
      deliver();
      return;
    }
    this.#line.add({ type: event.type, deliver });
    this.#passOn();
    this.#tell();
  };

  /** Forgets what is held: the task has ended. */
  close(): void {
    this.#line.clear();
    this.set({});
    this.#tell();
    this.#held.complete();
  }

  /** The only place where a held event passes, one at a time: what is asked for meanwhile is done by who is here. */
  #passOn(): void {
    if (this.#isPassing) return;
    this.#isPassing = true;
    try {
      while (this.#mayPass(this.#line.first)) {
        const next = this.#line.shift();
        this.#steps = Math.max(0, this.#steps - 1);
        this.#tell();
        next?.deliver();
      }
    } finally {
      this.#isPassing = false;
    }
  }

  #mayPass(first: HeldEvent | undefined): boolean {
    if (first === undefined) return false;
    if (!this.#isHolding && first !== this.#letGo && this.#isNamed(first)) this.#isHolding = true;
    if (this.#isHolding && this.#line.length > this.#limit) this.#lift();
    return !this.#isHolding || this.#steps > 0;
  }

  #apply(settings: BreakpointSettings): void {
    this.#settings = settings;
    this.#unwatch?.();
    this.#unwatch = undefined;
    const { states = [], events = [], laws = false, pause = false } = settings;
    const isWatched = states.length > 0 || laws;
    if (isWatched) this.#unwatch = this.#watch((reached) => this.#came(reached), laws);
    if (pause) this.#isHolding = true;
    else if (!isWatched && events.length === 0) this.resume();
  }

  /** Those who hear of what passes now find it said already. */
  #lift(): void {
    this.#lifted = { code: "HELD_LIMIT", message: liftedMessage(this.#limit), settings: this.#settings };
    this.#apply({});
  }

  #tell(): void {
    this.#held.next(this.#line.shown);
  }

  #isNamed({ type }: HeldEvent): boolean {
    return this.#settings.events?.includes(type) === true;
  }

  #came({ state, broken }: Reached): void {
    const { states = [] } = this.#settings;
    const before = this.#state;
    this.#state = state;
    if (states.some((named) => isIn(named, state) && !isIn(named, before))) this.#isHolding = true;
    if (broken === undefined) return;
    this.#isHolding = true;
    this.#broken = broken;
    this.#tell();
  }
}

const isIn = (named: string, path: string): boolean => path === named || path.startsWith(`${named}.`);

const liftedMessage = (limit: number): string =>
  `The breakpoints were lifted: ${limit} events were held, the limit \`heldEvents\`, and another came. All went on in their order. Set them again, or open the task with more: breakpoints: { heldEvents }.`;
