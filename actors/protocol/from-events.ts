import type { Observable } from "rxjs";
import { type CallbackActorLogic, type EventObject, fromCallback, type NonReducibleUnknown } from "xstate";
import type { Edge } from "./edge.ts";
import { iterate } from "./iterate.ts";

/** An event before the edge has stamped it. */
export type Untimed<T> = T extends { readonly at: number } ? Omit<T, "at"> : never;

export interface Scope<TIn extends EventObject, TInput> {
  readonly input: TInput;
  /** Aborts when the actor is stopped. */
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

/** A source came to its end and had not said how. */
export class MissingTerminalError extends Error {
  readonly code = "MISSING_TERMINAL";
  constructor() {
    super("The actor's source ended without a terminal event: expected exactly one, as its last.");
    this.name = "MissingTerminalError";
  }
}

/**
 * Actor logic from an async generator or an Observable, with its protocol enforced: the source begins when
 * the edge releases it, never if it was stopped before; after a terminal event or a stop nothing is sent;
 * stopping aborts `signal` and returns the iterator.
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
  return fromCallback<TIn, TInput>(({ input, sendBack, receive }) => {
    const abort = new AbortController();
    let over = false;
    const send = (event: Untimed<TOut>): void => {
      if (over) return;
      over = protocol.isTerminal(event);
      sendBack({ ...event, at: edge.clock.now() });
    };
    const run = async (): Promise<void> => {
      try {
        const source = protocol.source({ input, signal: abort.signal, receive: inbox(receive) });
        for await (const event of iterate(source, abort.signal)) {
          send(event);
          if (over) return;
        }
        send(protocol.failed(input, new MissingTerminalError()));
      } catch (error) {
        send(protocol.failed(input, error));
      }
    };
    edge.release(() => {
      if (!abort.signal.aborted) void run();
    });
    return () => {
      over = true;
      abort.abort();
    };
  });
}

/** Keeps what comes before the source listens. */
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
