import { type CallbackActorLogic, createActor, type EventObject, setup } from "xstate";
import type { Clock, Edge } from "../../../actors/protocol/index.ts";

/** A clock that goes where the test moves it. */
export class TestClock implements Clock {
  #now = 1000;
  readonly delays: number[] = [];
  #timers: { readonly due: number; readonly fire: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(delayMs: number, fire: () => void): () => void {
    const timer = { due: this.#now + delayMs, fire };
    this.delays.push(delayMs);
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Timers that are set. */
  get waiting(): number {
    return this.#timers.length;
  }

  moveTo(time: number): void {
    for (;;) {
      const [timer] = this.#timers.filter(({ due }) => due <= time).sort((one, other) => one.due - other.due);
      if (timer === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== timer);
      this.#now = Math.max(this.#now, timer.due);
      timer.fire();
    }
    this.#now = time;
  }
}

/** An edge that releases when the test says so. */
export function heldEdge(clock: Clock = new TestClock()) {
  const held: (() => void)[] = [];
  const edge: Edge = { clock, random: () => 0, release: (start) => held.push(start) };
  return { edge, release: () => held.splice(0).forEach((start) => void start()) };
}

/** A parent with one child of this logic. It keeps what the child sends, and stops it on `host.stop`. */
export function host<TIn extends EventObject, TInput>(logic: CallbackActorLogic<TIn, TInput>, input: TInput) {
  const heard: EventObject[] = [];
  let stopAt: ((event: EventObject) => boolean) | undefined;
  const machine = setup({
    types: { events: {} as EventObject },
    actors: { child: logic as unknown as CallbackActorLogic<EventObject, unknown> },
    actions: { hear: ({ event }) => void heard.push(event) },
    guards: { isLast: ({ event }) => stopAt?.(event) ?? false },
  }).createMachine({
    initial: "open",
    states: {
      open: {
        invoke: { id: "child", src: "child", input: () => input },
        on: {
          "host.stop": "shut",
          "*": [{ guard: "isLast", target: "shut", actions: "hear" }, { actions: "hear" }],
        },
      },
      shut: { on: { "host.stop": {}, "*": { actions: "hear" } } },
    },
  });
  const actor = createActor(machine);
  actor.start();
  return {
    heard,
    stop: () => actor.send({ type: "host.stop" }),
    /** Stops the child in the macrostep that hears such an event. */
    stopWhen: (when: (event: EventObject) => boolean) => {
      stopAt = when;
    },
    tell: (event: TIn) => actor.getSnapshot().children.child?.send(event),
  };
}

/** Lets everything go on that only waits for its turn. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
