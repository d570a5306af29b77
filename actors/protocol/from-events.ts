import type { Observable } from "rxjs";
import type { CallbackActorLogic, EventObject, NonReducibleUnknown } from "xstate";
import { consume } from "./consume.ts";
import type { Edge } from "./edge.ts";
import { type Released, released, type Untimed } from "./released.ts";

/** What a source is given. */
export interface Scope<TIn extends EventObject, TInput> {
  readonly input: TInput;
  /** Aborts when the actor is stopped, and after its terminal event. */
  readonly signal: AbortSignal;
  /** Hears what the task sends to this actor, from its start on. */
  readonly receive: (listener: (event: TIn) => void) => void;
}

/** How one kind of edge actor talks: any number of progress events, then exactly one terminal. */
export interface Protocol<TIn extends EventObject, TOut extends { readonly at: number }, TInput> {
  readonly source: (scope: Scope<TIn, TInput>) => AsyncIterable<Untimed<TOut>> | Observable<Untimed<TOut>>;
  readonly isTerminal: (event: Untimed<TOut>) => boolean;
  /** The terminal event of a source that threw, or ended without one. */
  readonly failed: (input: TInput, error: unknown) => Untimed<TOut>;
}

/** The reason of every abort here: an error of its own for each would cost more than the rest of an actor. */
const STOPPED = new DOMException("The actor has stopped.", "AbortError");

/** A source came to its end and had not said how. */
export class MissingTerminalError extends Error {
  /** The source of an actor ended without a terminal event. Send exactly one, as the last event. */
  readonly code = "MISSING_TERMINAL";
  constructor() {
    super("The actor's source ended without a terminal event: expected exactly one, as its last.");
    this.name = "MissingTerminalError";
  }
}

/**
 * Actor logic from an async generator or an Observable, with its protocol enforced: the source begins when
 * the edge releases it, never if it was stopped before; a source that throws, or ends without a terminal
 * event, gets `failed`; after a terminal event or a stop nothing is sent. Stopping aborts `signal` and at once
 * ends the subscription, or calls the iterator's `return()`. A generator that sleeps in an `await` hears of it
 * through `signal` only: its `finally` runs when that await settles.
 *
 * @example
 * ```ts
 * import { fromEvents, immediateEdge } from "signalbox/actors";
 * const logic = fromEvents(immediateEdge, {
 *   source: async function* () {
 *     yield { type: "timer.fired", timerId: "now" };
 *   },
 *   isTerminal: () => true,
 *   failed: () => ({ type: "timer.fired", timerId: "now" }),
 * });
 * ```
 */
export function fromEvents<
  TIn extends EventObject,
  TOut extends EventObject & { readonly at: number },
  TInput extends NonReducibleUnknown,
>(edge: Edge, protocol: Protocol<TIn, TOut, TInput>): CallbackActorLogic<TIn, TInput> {
  const begin = ({ input, receive, send, isOver }: Released<TIn, TOut, TInput>): (() => void) => {
    // Most sources never look at their signal, and one costs more than the rest of an actor.
    let abort: AbortController | undefined;
    let ended = false;
    const scope = {
      input,
      receive,
      get signal(): AbortSignal {
        abort ??= new AbortController();
        if (ended) abort.abort(STOPPED);
        return abort.signal;
      },
    };
    const fail = (error: unknown): void => send(protocol.failed(input, error));
    const end = consume(() => protocol.source(scope), isOver, {
      next: send,
      error: fail,
      complete: () => fail(new MissingTerminalError()),
    });
    return () => {
      ended = true;
      abort?.abort(STOPPED);
      end();
    };
  };
  return released<TIn, TOut, TInput>(edge, protocol.isTerminal, begin);
}
