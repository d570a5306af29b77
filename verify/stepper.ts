import type { SnapshotFrom } from "xstate";
import type { TaskEvent, TaskInput, taskMachine } from "../machines/task/index.ts";
import { reopenedAfter } from "./crash.ts";
import type { PathEvent } from "./graph.ts";
import type { Step, View } from "./laws/index.ts";
import { emittedBy, type MachineRunner, type Taken } from "./runner.ts";
import { pathOf } from "./state-path.ts";
import { firstView, reopenedView, viewAfter } from "./view.ts";

type Snapshot = SnapshotFrom<typeof taskMachine>;

/** Where a task is: for the machine, and for the laws. */
export interface SettledState {
  readonly snapshot: Snapshot;
  readonly view: View;
}

/** What something that happened to a task came to. */
export interface StepResult extends Taken {
  /** The macrostep as a law sees it. */
  readonly step: Step;
  /** Whether it changed anything. If not, the step leads back to where it began. */
  readonly isChange: boolean;
}

/** One task's macrosteps: events, and ends of its process after which it is opened again. */
export class Stepper {
  /** A task to which nothing has happened. */
  readonly first: SettledState;
  /** The rows of the table by which it came there. */
  readonly firstTransitions: Taken["rows"];
  readonly #runner: MachineRunner;
  readonly #input: TaskInput;

  constructor(runner: MachineRunner, input: TaskInput) {
    this.#runner = runner;
    this.#input = input;
    const { snapshot, rows } = runner.begin(input);
    this.first = { snapshot, view: firstView(positionOf(snapshot)) };
    this.firstTransitions = rows;
  }

  /** @throws whatever the machine throws */
  step(from: SettledState, pathEvent: PathEvent): StepResult {
    if (pathEvent.type !== "process.crashed") {
      const taken = this.#runner.take(from.snapshot, pathEvent);
      return toStepResult({ before: from.view, event: pathEvent }, taken);
    }
    const reopened = reopenedAfter(from.view, pathEvent);
    const event: TaskEvent = { type: "task.recovered", at: reopened.openedAt };
    const before = reopenedView(from.view, reopened, this.first.view.context);
    return toStepResult({ before, event, reopened }, this.#runner.begin({ ...this.#input, reopened }));
  }
}

/** What a law sees before a macrostep. */
type Before = Pick<Step, "before" | "event" | "reopened">;

function toStepResult({ before, event, reopened }: Before, { snapshot, actions, rows }: Taken): StepResult {
  if (snapshot.status === "error") throw snapshot.error;
  const emitted = emittedBy(actions);
  const isChange = emitted.length > 0 || snapshot.context !== before.context;
  const after = isChange ? viewAfter(before, emitted, positionOf(snapshot)) : before;
  const step: Step = { before, event, after, emitted };
  return { snapshot, actions, rows, step: reopened === undefined ? step : { ...step, reopened }, isChange };
}

const positionOf = ({ value, context }: Snapshot): Pick<View, "state" | "context"> => ({
  state: pathOf(value),
  context,
});
