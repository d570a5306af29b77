import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Bounds, Spent } from "../bounds.ts";
import type { Crash } from "../crash.ts";
import type { View } from "../laws/law.ts";

/** A settled state within an exploration. */
export interface Situation {
  readonly view: View;
  readonly spent: Spent;
  readonly bounds: Bounds;
}

/** A settled state, and the time of the next event. */
export interface Moment extends Situation {
  readonly at: number;
}

/** A feature of the engine, as explorations and random runs see it. */
export interface Feature {
  readonly name: string;
  /** Events that its senders may send in this state, late and invalid ones included. */
  readonly events?: (moment: Moment) => readonly TaskEvent[];
  /** Its parts of the abstract state, by their names. */
  readonly parts?: Readonly<Record<string, (situation: Situation) => unknown>>;
  /** Crashes in this state, by what sets each apart from a crash that only loses what runs. */
  readonly crashes?: (moment: Moment) => readonly Partial<Crash>[];
}
