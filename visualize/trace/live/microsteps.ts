import type { InspectedMicrostepEvent, InspectionEvent } from "xstate";
import type { TaskSnapshot } from "../../../runtime/task/task-view.ts";
import type { Microstep } from "../trace-event.ts";
import { microstepOf } from "../transitions/microstep.ts";
import { BoundedQueue } from "./bounded-queue.ts";

/** Macrosteps that wait for their commit. Beyond it the oldest are dropped, and their commits have no microsteps. */
const WAITING_MAX = 10_000;

/** A macrostep: the snapshots of the machine around it, and its microsteps. */
export interface Macrostep {
  readonly before: TaskSnapshot;
  /** Its last snapshot so far. */
  readonly after: TaskSnapshot;
  readonly microsteps: readonly Microstep[];
}

type Growing = { -readonly [K in keyof Macrostep]: Macrostep[K] } & { readonly microsteps: Microstep[] };

/**
 * Collect a root actor's microsteps by the snapshot that ends each macrostep: a commit finds its own by it, however
 * much later it is delivered. Commits come in the order of their macrosteps, so a queue is searched from its front: as
 * the key of a map a snapshot would cost more than all the rest.
 */
export class MicrostepCollector {
  readonly #waiting = new BoundedQueue<Growing>(WAITING_MAX, Number.POSITIVE_INFINITY, () => 0);
  #current: Growing | undefined;

  readonly observe = (event: InspectionEvent): void => {
    if (event.actorRef.sessionId !== event.rootId) return;
    if (event.type === "@xstate.microstep")
      this.#add(event, microstepOf(event.event.type, event._transitions));
    else if (event.type === "@xstate.snapshot") this.#current = undefined;
  };

  /** The macrostep of a commit, once: it is dropped, with all before it. */
  of(snapshot: object): Macrostep | undefined {
    return this.#waiting.shiftThrough(({ after }) => after === snapshot);
  }

  #add({ actorRef, snapshot }: InspectedMicrostepEvent, microstep: Microstep): void {
    // Of the task's machine: the observer skips all other actors.
    const after = snapshot as TaskSnapshot;
    if (this.#current === undefined) {
      // An actor has its snapshot from before the macrostep until the macrostep ends.
      this.#current = { before: actorRef.getSnapshot(), after, microsteps: [microstep] };
      this.#waiting.push(this.#current);
    } else {
      this.#current.after = after;
      this.#current.microsteps.push(microstep);
    }
  }
}
