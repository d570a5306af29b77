import type { InspectionEvent } from "xstate";
import type { Microstep } from "../trace-event.ts";
import { microstepOf } from "../transitions/microstep.ts";
import { BoundedQueue } from "./bounded-queue.ts";

/** Macrosteps that wait for their commit. Beyond it the oldest are dropped, and their commits have no microsteps. */
const WAITING_MAX = 10_000;

interface Macrostep {
  /** Its last snapshot so far. */
  snapshot: object;
  readonly microsteps: Microstep[];
}

/**
 * Collect a root actor's microsteps by the snapshot that ends each macrostep: a commit finds its own by it, however
 * much later it is delivered. Commits come in the order of their macrosteps, so a queue is searched from its front: as
 * the key of a map a snapshot would cost more than all the rest.
 */
export class MicrostepCollector {
  readonly #waiting = new BoundedQueue<Macrostep>(WAITING_MAX, Number.POSITIVE_INFINITY, () => 0);
  #current: Macrostep | undefined;

  readonly observe = (event: InspectionEvent): void => {
    if (event.actorRef.sessionId !== event.rootId) return;
    if (event.type === "@xstate.microstep")
      this.#add(event.snapshot, microstepOf(event.event.type, event._transitions));
    else if (event.type === "@xstate.snapshot") this.#current = undefined;
  };

  /** The microsteps of a commit, once: they are dropped, with all before them. */
  of(snapshot: object): readonly Microstep[] | undefined {
    return this.#waiting.shiftThrough((macrostep) => macrostep.snapshot === snapshot)?.microsteps;
  }

  #add(snapshot: object, microstep: Microstep): void {
    if (this.#current === undefined) {
      this.#current = { snapshot, microsteps: [microstep] };
      this.#waiting.push(this.#current);
    } else {
      this.#current.snapshot = snapshot;
      this.#current.microsteps.push(microstep);
    }
  }
}
