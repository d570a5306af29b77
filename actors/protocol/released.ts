import { type CallbackActorLogic, type EventObject, fromCallback, type NonReducibleUnknown } from "xstate";
import type { Edge } from "./edge.ts";

/** An event before the edge has stamped it. */
export type Untimed<T> = T extends { readonly at: number } ? Omit<T, "at"> : never;

/** What a released source is given. */
export interface Released<TIn extends EventObject, TOut extends { readonly at: number }, TInput> {
  readonly input: TInput;
  /** Hears what the task sends to this actor, from its start on. */
  readonly receive: (listener: (event: TIn) => void) => void;
  /** Stamps the event and sends it to the task. Silent after a terminal event and after a stop. */
  readonly send: (event: Untimed<TOut>) => void;
  /** Whether a terminal event was sent, or the actor stopped. */
  readonly isOver: () => boolean;
}

/**
 * Actor logic that begins when the edge releases it (L11), never if it was stopped before. `begin` gives
 * back how to end what it began: called once, at the terminal event or at the stop, whichever comes first.
 *
 * @example
 * ```ts
 * import { type ActorInputs } from "signalbox/machines";
 * import { immediateEdge, released } from "signalbox/actors";
 * import type { TimerEvent } from "signalbox/machines";
 * import type { EventObject } from "xstate";
 * const now = released<EventObject, TimerEvent, ActorInputs["timer"]>(immediateEdge, () => true, ({ send }) => {
 *   send({ type: "timer.fired", timerId: "now" });
 *   return () => {};
 * });
 * ```
 */
export function released<
  TIn extends EventObject,
  TOut extends EventObject & { readonly at: number },
  TInput extends NonReducibleUnknown,
>(
  edge: Edge,
  isTerminal: (event: Untimed<TOut>) => boolean,
  begin: (scope: Released<TIn, TOut, TInput>) => () => void,
): CallbackActorLogic<TIn, TInput> {
  return fromCallback<TIn, TInput>(({ input, sendBack, receive }) => {
    const hear = inbox(receive);
    let begun = false;
    let over = false;
    let end: (() => void) | undefined;
    const close = (): void => {
      over = true;
      const ending = end;
      end = undefined;
      ending?.();
    };
    // What is held as the actor is stopped is never delivered (L10).
    let stopped = false;
    const deliver = (event: Untimed<TOut>): void => {
      if (!stopped) sendBack({ ...event, at: edge.clock.now() });
    };
    const send = (event: Untimed<TOut>): void => {
      if (over) return;
      over = isTerminal(event);
      if (edge.pass === undefined) deliver(event);
      else edge.pass(event, () => deliver(event));
      if (over) close();
    };
    edge.release(() => {
      if (begun || over) return;
      begun = true;
      end = begin({ input, receive: hear, send, isOver: () => over });
      if (over) close();
    });
    return () => {
      stopped = true;
      close();
    };
  });
}

/** Keeps what comes before somebody listens. */
function inbox<TIn>(
  receive: (listener: (event: TIn) => void) => void,
): (listener: (event: TIn) => void) => void {
  const early: TIn[] = [];
  let heard: ((event: TIn) => void) | undefined;
  receive((event) => (heard === undefined ? early.push(event) : heard(event)));
  return (listener) => {
    heard = listener;
    for (const event of early.splice(0)) listener(event);
  };
}
