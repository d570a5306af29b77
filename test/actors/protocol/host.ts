import { type CallbackActorLogic, createActor, type EventObject, setup } from "xstate";
import type { Edge } from "../../../actors/protocol/edge.ts";
import type { Clock } from "../../../ports/clock.ts";

/** A clock that the test moves. */
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

  /** Number of pending timers. */
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

/** An edge that the test releases. */
export function heldEdge(clock: Clock = new TestClock()) {
  const held: (() => void)[] = [];
  const edge: Edge = { clock, random: () => 0, release: (start) => held.push(start) };
  return { edge, release: () => held.splice(0).forEach((start) => void start()) };
}

/** Start a parent with one child of this logic. Records what the child sends. */
export function host<TIn extends EventObject, TInput>(logic: CallbackActorLogic<TIn, TInput>, input: TInput) {
  const received: EventObject[] = [];
  let stopAt: ((event: EventObject) => boolean) | undefined;
  const machine = setup({
    types: { events: {} as EventObject },
    actors: { child: logic as unknown as CallbackActorLogic<EventObject, unknown> },
    actions: { record: ({ event }) => void received.push(event) },
    guards: { isLast: ({ event }) => stopAt?.(event) ?? false },
  }).createMachine({
    initial: "open",
    states: {
      open: {
        invoke: { id: "child", src: "child", input: () => input },
        on: {
          "host.stop": "shut",
          "*": [{ guard: "isLast", target: "shut", actions: "record" }, { actions: "record" }],
        },
      },
      shut: { on: { "host.stop": {}, "*": { actions: "record" } } },
    },
  });
  const actor = createActor(machine);
  actor.start();
  return {
    received,
    stop: () => actor.send({ type: "host.stop" }),
    /** Stop the child in the macrostep of a matching event. */
    stopWhen: (when: (event: EventObject) => boolean) => {
      stopAt = when;
    },
    send: (event: TIn) => actor.getSnapshot().children.child?.send(event),
  };
}

/** Wait for a turn of the event loop. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
