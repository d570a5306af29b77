import { BehaviorSubject, type Observable } from "rxjs";
import { ContainedObservable } from "../../actors/protocol/contained.ts";
import type { Pass } from "../../actors/protocol/edge.ts";
import { throwUncaught } from "../../actors/protocol/uncaught.ts";
import { defaultsOf, type LimitTable, type LimitValues } from "../../machines/task/limit-table.ts";
import {
  type EventBreakpoint,
  type EventPlace,
  eventTypeOf,
  holdsAny,
  isInState,
} from "./event-breakpoint.ts";
import { EventQueue, type HeldEvent, type HeldEvents } from "./held-events.ts";
import type { BrokenLaw, ReachedState } from "./macrosteps.ts";

/** Conditions under which the events of a task's actors are held. */
export interface BreakpointSettings {
  /**
   * Dotted paths: all events are held once the task enters one of these states or their substates. A state that is left
   * in the macrostep that enters it, such as `running.settling`, never holds.
   */
  readonly states?: readonly string[];
  /** Event types, with conditions or without: such an event is held, and all events behind it. */
  readonly events?: readonly (string | EventBreakpoint)[];
  /** Whether all events are held once a macrostep breaks one of the task's `laws`; by default L1. */
  readonly laws?: boolean;
  /** Whether the next event is held. */
  readonly pause?: boolean;
}

/** The limits of breakpoints, with their defaults. */
export const BREAKPOINT_LIMIT_TABLE = {
  /** Events held at once; one more lifts the breakpoints. */
  heldEvents: { default: 10_000, unit: "count", min: 1 },
} as const satisfies LimitTable;

/** Limits of a task's breakpoints (L14). */
export type BreakpointLimits = LimitValues<typeof BREAKPOINT_LIMIT_TABLE>;

export const DEFAULT_BREAKPOINT_LIMITS: BreakpointLimits = defaultsOf(BREAKPOINT_LIMIT_TABLE);

/** The reason why breakpoints were lifted automatically. */
export interface LiftedBreakpoints {
  readonly code: "HELD_LIMIT";
  /** The limit that was reached, and what to do. */
  readonly message: string;
  /** The settings until then. */
  readonly settings: BreakpointSettings;
}

/** An event that may be held. `callId`: its call. */
interface PassedEvent {
  readonly type: string;
  readonly callId?: string;
}

type Observe = (listener: (reached: ReachedState) => void, checksLaws: boolean) => () => void;

/**
 * Breakpoints of one task: they hold the events of its actors, so that a person can inspect it between two macrosteps.
 * A user's events pass, and a cancel passes first; events of a stopped actor are dropped (L10). No event is lost, and
 * the order stays the same, also when a listener steps during a delivery.
 *
 * The number of held events is limited (L14): one event more than `heldEvents` lifts the breakpoints, releases all held
 * events in their order, and sets `lifted`.
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
  readonly #observe: Observe;
  readonly #locate: (callId: string | undefined) => EventPlace;
  readonly #onError: (error: unknown) => void;
  readonly #limit: number;
  readonly #queue = new EventQueue();
  readonly #held = new BehaviorSubject<HeldEvents>(this.#queue.events);
  #settings: BreakpointSettings = {};
  #lifted: LiftedBreakpoints | undefined;
  #broken: BrokenLaw | undefined;
  #isHolding = false;
  /** Events that may pass while events are held. */
  #steps = 0;
  /** The first event at the time of `resume`: it was held already and passes now. */
  #resumedAt: HeldEvent | undefined;
  #isPassing = false;
  #unobserve: (() => void) | undefined;
  #state = "";

  /**
   * @param observe Notifies a listener after each macrostep until the returned function is called.
   * @param locate Reads the task's state and the tool of a call. Without it only the state after a macrostep is known.
   */
  constructor(
    observe: Observe,
    limits: Partial<BreakpointLimits> = {},
    onError: (error: unknown) => void = throwUncaught,
    locate: (callId: string | undefined) => EventPlace = () => ({ state: this.#state }),
  ) {
    this.#locate = locate;
    this.#onError = onError;
    this.#observe = observe;
    this.#limit = limits.heldEvents ?? DEFAULT_BREAKPOINT_LIMITS.heldEvents;
  }

  /** The held events in order: the present ones, then after each change. Completes when the task is closed. */
  get held$(): Observable<HeldEvents> {
    return new ContainedObservable(this.#held, this.#onError);
  }

  get held(): HeldEvents {
    return this.#queue.events;
  }

  /** Whether the next event is held, also while none is queued. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** Whether no breakpoint is set and no event is held. */
  get isIdle(): boolean {
    const { states = [], events = [], laws = false } = this.#settings;
    return !this.#isHolding && this.#queue.length === 0 && states.length + events.length === 0 && !laws;
  }

  get settings(): BreakpointSettings {
    return this.#settings;
  }

  /** Set once `heldEvents` was exceeded (L14), until the next `set` or `step`. */
  get lifted(): LiftedBreakpoints | undefined {
    return this.#lifted;
  }

  /** The latest law that a macrostep broke, until `resume` or `set`. */
  get broken(): BrokenLaw | undefined {
    return this.#broken;
  }

  /** Replace the settings. Held events stay held while any breakpoint is set, and pass otherwise. */
  set(settings: BreakpointSettings): void {
    this.#lifted = undefined;
    this.#broken = undefined;
    this.#apply(settings);
  }

  /** Let the next held event pass. False if none is held: then the next event is held. */
  step(): boolean {
    this.#lifted = undefined;
    this.#isHolding = true;
    if (this.#queue.length <= this.#steps) return false;
    this.#steps += 1;
    this.#release();
    return true;
  }

  /** Let held events pass, up to the next breakpoint. It ends a pause. */
  resume(): void {
    this.#settings = { ...this.#settings, ...(this.#settings.pause === true && { pause: false }) };
    this.#isHolding = false;
    this.#broken = undefined;
    this.#steps = 0;
    this.#resumedAt = this.#queue.first;
    this.#release();
  }

  /** Pass an event of an actor to the machine, now or later. */
  readonly pass: Pass = (event, deliver) => {
    const isFree = !this.#isHolding && !this.#isPassing && this.#queue.length === 0;
    if (isFree && !this.#isBreakpoint(event)) {
      deliver();
      return;
    }
    this.#queue.add({
      type: event.type,
      ...(event.callId !== undefined && { callId: event.callId }),
      deliver,
    });
    this.#release();
    this.#publish();
  };

  /** Drop the held events of a task that has ended. */
  close(): void {
    this.#queue.clear();
    this.set({});
    this.#publish();
    this.#held.complete();
  }

  /** The only place where a held event passes, one at a time. A nested call leaves its events to the outer one. */
  #release(): void {
    if (this.#isPassing) return;
    this.#isPassing = true;
    try {
      while (this.#mayPass(this.#queue.first)) {
        const next = this.#queue.shift();
        this.#steps = Math.max(0, this.#steps - 1);
        this.#publish();
        next?.deliver();
      }
    } finally {
      this.#isPassing = false;
    }
  }

  #mayPass(first: HeldEvent | undefined): boolean {
    if (first === undefined) return false;
    if (!this.#isHolding && first !== this.#resumedAt && this.#isBreakpoint(first)) this.#isHolding = true;
    if (this.#isHolding && this.#queue.length > this.#limit) this.#lift();
    return !this.#isHolding || this.#steps > 0;
  }

  #apply(settings: BreakpointSettings): void {
    this.#settings = settings;
    this.#unobserve?.();
    this.#unobserve = undefined;
    const { states = [], events = [], laws = false, pause = false } = settings;
    const isObserved = states.length > 0 || laws;
    if (isObserved) this.#unobserve = this.#observe((reached) => this.#reach(reached), laws);
    if (pause) this.#isHolding = true;
    else if (!isObserved && events.length === 0) this.resume();
  }

  /** `lifted` is set first, for the listeners of the events that pass now. */
  #lift(): void {
    this.#lifted = { code: "HELD_LIMIT", message: liftedMessage(this.#limit), settings: this.#settings };
    this.#apply({});
  }

  #publish(): void {
    this.#held.next(this.#queue.events);
  }

  #isBreakpoint({ type, callId }: PassedEvent): boolean {
    const fitting = this.#settings.events?.filter((each) => eventTypeOf(each) === type) ?? [];
    return fitting.length > 0 && holdsAny(fitting, this.#locate(callId));
  }

  #reach({ state, broken }: ReachedState): void {
    const { states = [] } = this.#settings;
    const before = this.#state;
    this.#state = state;
    if (states.some((path) => isInState(path, state) && !isInState(path, before))) this.#isHolding = true;
    if (broken === undefined) return;
    this.#isHolding = true;
    this.#broken = broken;
    this.#publish();
  }
}

const liftedMessage = (limit: number): string =>
  `The breakpoints were lifted: ${limit} events were held, the limit \`heldEvents\`, and another one came. Set them again, or open the task with a higher limit: breakpoints: { heldEvents }.`;
