import type { SnapshotFrom } from "xstate";
import type { TaskEvent, TaskInput, taskMachine } from "../machines/task/index.ts";
import { pastOf } from "./crash.ts";
import type { Happening } from "./graph.ts";
import type { Step, View } from "./laws/index.ts";
import { emittedBy, type Machinery, type Taken } from "./machinery.ts";
import { pathOf } from "./path-of.ts";
import { firstView, viewAfter, viewOfPast } from "./view.ts";

type Snapshot = SnapshotFrom<typeof taskMachine>;

/** Where a task is: for the machine, and for the laws. */
export interface Whereabouts {
  readonly snapshot: Snapshot;
  readonly view: View;
}

/** What something that happened to a task came to. */
export interface Stepped extends Taken {
  /** The macrostep as a law sees it. */
  readonly step: Step;
  /** Whether it changed anything. If not, the step leads back to where it began. */
  readonly isTaken: boolean;
}

/** One task's macrosteps: events, and ends of its process after which it is opened again. */
export class Stepper {
  /** A task to which nothing has happened. */
  readonly first: Whereabouts;
  /** The rows of the table by which it came there. */
  readonly firstRows: Taken["rows"];
  readonly #machinery: Machinery;
  readonly #input: TaskInput;

  constructor(machinery: Machinery, input: TaskInput) {
    this.#machinery = machinery;
    this.#input = input;
    const { snapshot, rows } = machinery.begin(input);
    this.first = { snapshot, view: firstView(positionOf(snapshot)) };
    this.firstRows = rows;
  }

  /** @throws whatever the machine throws */
  step(from: Whereabouts, happening: Happening): Stepped {
    if (happening.type !== "process.crashed") {
      const taken = this.#machinery.take(from.snapshot, happening);
      return steppedOf({ before: from.view, event: happening }, taken);
    }
    const past = pastOf(from.view, happening);
    const event: TaskEvent = { type: "task.recovered", at: past.openedAt };
    const before = viewOfPast(from.view, past, this.first.view.context);
    return steppedOf({ before, event, past }, this.#machinery.begin({ ...this.#input, reopened: past }));
  }
}

/** What a law sees before a macrostep. */
type Before = Pick<Step, "before" | "event" | "past">;

function steppedOf({ before, event, past }: Before, { snapshot, actions, rows }: Taken): Stepped {
  if (snapshot.status === "error") throw snapshot.error;
  const emitted = emittedBy(actions);
  const isTaken = emitted.length > 0 || snapshot.context !== before.context;
  const after = isTaken ? viewAfter(before, emitted, positionOf(snapshot)) : before;
  const step: Step = { before, event, after, emitted };
  return { snapshot, actions, rows, step: past === undefined ? step : { ...step, past }, isTaken };
}

const positionOf = ({ value, context }: Snapshot): Pick<View, "state" | "context"> => ({
  state: pathOf(value),
  context,
});
