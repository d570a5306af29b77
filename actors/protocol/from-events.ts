import type { Observable } from "rxjs";
import type { CallbackActorLogic, EventObject, NonReducibleUnknown } from "xstate";
import { SignalboxError } from "../../machines/signalbox-error.ts";
import { consume } from "./consume.ts";
import type { Edge } from "./edge.ts";
import { type ReleasedScope, released, type Untimed } from "./released.ts";

/** The scope of a source. */
export interface Scope<TIn extends EventObject, TInput> {
  readonly input: TInput;
  /** Aborts when the actor is stopped, and after its terminal event. */
  readonly signal: AbortSignal;
  /** Listen to the events that the task sends to this actor, from its start on. */
  readonly receive: (listener: (event: TIn) => void) => void;
}

/** The protocol of an edge actor: any number of progress events, then exactly one terminal event. */
export interface Protocol<TIn extends EventObject, TOut extends { readonly at: number }, TInput> {
  readonly source: (scope: Scope<TIn, TInput>) => AsyncIterable<Untimed<TOut>> | Observable<Untimed<TOut>>;
  readonly isTerminal: (event: Untimed<TOut>) => boolean;
  /** The terminal event of a source that threw, or ended without one. */
  readonly failed: (input: TInput, error: unknown) => Untimed<TOut>;
}

/** Shared abort reason: creating an error per abort costs more than the rest of an actor. */
const STOPPED = new DOMException("The actor has stopped.", "AbortError");

/** A source ended without a terminal event. */
export class MissingTerminalError extends SignalboxError {
  /** The source of an actor ended without a terminal event. Send exactly one, as the last event. */
  readonly code = "MISSING_TERMINAL";
  constructor() {
    super("The actor's source ended without a terminal event: expected exactly one, as its last.");
    this.name = "MissingTerminalError";
  }
}

/**
 * Actor logic from an async generator or an Observable, with an enforced protocol. The source starts when the edge
 * releases it, unless it was stopped before. If it throws, or ends without a terminal event, `failed` is sent. Nothing
 * is sent after a terminal event or a stop. Stopping aborts `signal`, and unsubscribes or calls the iterator's
 * `return()`; the `finally` of a generator runs when its pending `await` settles.
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
  const start = ({ input, receive, send, isOver }: ReleasedScope<TIn, TOut, TInput>): (() => void) => {
    // Created on demand: most sources don't use it, and it costs more than the rest of an actor.
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
  return released<TIn, TOut, TInput>(edge, protocol.isTerminal, start);
}
