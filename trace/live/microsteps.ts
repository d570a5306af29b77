import type { InspectionEvent } from "xstate";
import { microstepOf } from "../microstep.ts";
import type { Microstep } from "../trace-event.ts";
import { Ring } from "./ring.ts";

/** Macrosteps that wait for their commit: so many at most. Of more the oldest are let go, and their commits have none. */
const MACROSTEPS_HELD_MAX = 10_000;

interface Macrostep {
  /** What it ends with, so far. */
  snapshot: object;
  readonly microsteps: Microstep[];
}

/**
 * Gathers a root actor's microsteps by the snapshot that each macrostep ends with: by it a commit finds its own, however
 * much later it is shown. Commits come in the order of their macrosteps, so that a line is looked through from its front:
 * to be a key of a map would cost a snapshot more than all the rest.
 */
export class MicrostepWatch {
  readonly #line = new Ring<Macrostep>(MACROSTEPS_HELD_MAX, Number.POSITIVE_INFINITY, () => 0);
  /** The present one. */
  #open: Macrostep | undefined;

  readonly observe = (event: InspectionEvent): void => {
    if (!isRoot(event)) return;
    if (event.type === "@xstate.microstep")
      this.#take(event.snapshot, microstepOf(event.event.type, event._transitions));
    else if (event.type === "@xstate.snapshot") this.#open = undefined;
  };

  /** Of a commit, once: what is asked for is let go, with all that was before it. */
  of(snapshot: object): readonly Microstep[] | undefined {
    return this.#line.takeThrough((held) => held.snapshot === snapshot)?.microsteps;
  }

  #take(snapshot: object, microstep: Microstep): void {
    if (this.#open === undefined) {
      this.#open = { snapshot, microsteps: [microstep] };
      this.#line.add(this.#open);
    } else {
      this.#open.snapshot = snapshot;
      this.#open.microsteps.push(microstep);
    }
  }
}

const isRoot = ({ actorRef, rootId }: InspectionEvent): boolean => actorRef.sessionId === rootId;
