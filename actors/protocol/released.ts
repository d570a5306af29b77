import { type CallbackActorLogic, type EventObject, fromCallback, type NonReducibleUnknown } from "xstate";
import type { Edge } from "./edge.ts";

/** An event without its timestamp. */
export type Untimed<T> = T extends { readonly at: number } ? Omit<T, "at"> : never;

/** The scope of a released source. */
export interface ReleasedScope<TIn extends EventObject, TOut extends { readonly at: number }, TInput> {
  readonly input: TInput;
  /** Listen to the events that the task sends to this actor, from its start on. */
  readonly receive: (listener: (event: TIn) => void) => void;
  /** Send the event to the task with a timestamp. Does nothing after a terminal event or a stop. */
  readonly send: (event: Untimed<TOut>) => void;
  /** Whether a terminal event was sent, or the actor stopped. */
  readonly isOver: () => boolean;
}

/**
 * Actor logic that starts when the edge releases it (L11), unless it was stopped before. `start` returns a function
 * that stops what it started; it is called once, at the terminal event or the stop.
 */
export function released<
  TIn extends EventObject,
  TOut extends EventObject & { readonly at: number },
  TInput extends NonReducibleUnknown,
>(
  edge: Edge,
  isTerminal: (event: Untimed<TOut>) => boolean,
  start: (scope: ReleasedScope<TIn, TOut, TInput>) => () => void,
): CallbackActorLogic<TIn, TInput> {
  return fromCallback<TIn, TInput>(({ input, sendBack, receive }) => {
    const receiveAll = bufferUntilListened(receive);
    let started = false;
    let over = false;
    let end: (() => void) | undefined;
    const close = (): void => {
      over = true;
      const ending = end;
      end = undefined;
      ending?.();
    };
    // An event that is held when the actor stops is never delivered (L10).
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
      if (started || over) return;
      started = true;
      end = start({ input, receive: receiveAll, send, isOver: () => over });
      if (over) close();
    });
    return () => {
      stopped = true;
      close();
    };
  });
}

/** Buffers events that come before there is a listener. */
function bufferUntilListened<TIn>(
  receive: (listener: (event: TIn) => void) => void,
): (listener: (event: TIn) => void) => void {
  const early: TIn[] = [];
  let current: ((event: TIn) => void) | undefined;
  receive((event) => (current === undefined ? early.push(event) : current(event)));
  return (listener) => {
    current = listener;
    for (const event of early.splice(0)) listener(event);
  };
}
