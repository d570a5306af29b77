import type { SnapshotFrom } from "xstate";
import { dottedPath } from "../machines/message/states.ts";
import { emittedBy } from "../machines/task/commit.ts";
import { isPassivatable } from "../machines/task/passivation.ts";
import type { TaskContext, TaskInput } from "../machines/task/task.context.ts";
import type { TaskEvent } from "../machines/task/task.events.ts";
import type { taskMachine } from "../machines/task/task.machine.ts";
import { reopenedAfter } from "./crash.ts";
import type { PathEvent } from "./graph.ts";
import type { Step, View } from "./laws/law.ts";
import type { MachineRunner, MachineStep } from "./runner.ts";
import { firstView, reopenedView, viewAfter } from "./view.ts";

type Snapshot = SnapshotFrom<typeof taskMachine>;

/** A settled state: the snapshot of the machine and the view of the laws. */
export interface SettledState {
  readonly snapshot: Snapshot;
  readonly view: View;
}

/** The result of one macrostep. */
export interface StepResult extends MachineStep {
  /** The macrostep as the laws see it. */
  readonly step: Step;
  /** Whether anything changed. If not, the state is that before. */
  readonly isChange: boolean;
}

/** Runs the macrosteps of a task: its events, and its crashes, after which it is reopened. */
export class Stepper {
  /** The state of a new task. */
  readonly first: SettledState;
  /** Transitions of the initial macrostep. */
  readonly firstTransitions: MachineStep["transitions"];
  readonly #runner: MachineRunner;
  readonly #input: TaskInput;

  constructor(runner: MachineRunner, input: TaskInput) {
    this.#runner = runner;
    this.#input = input;
    const { snapshot, transitions } = runner.start(input);
    this.first = { snapshot, view: firstView(positionOf(snapshot)) };
    this.firstTransitions = transitions;
  }

  /** Run one macrostep. @throws Error of the machine */
  step(from: SettledState, pathEvent: PathEvent): StepResult {
    if (pathEvent.type !== "process.crashed") {
      const result = this.#runner.transition(from.snapshot, pathEvent);
      return this.#toResult({ before: from.view, event: pathEvent }, result, from.snapshot.context);
    }
    const reopened = reopenedAfter(from.view, pathEvent);
    const event: TaskEvent = { type: "task.recovered", at: reopened.openedAt };
    const before = reopenedView(from.view, reopened, this.first.view.context);
    const result = this.#runner.start({ ...this.#input, reopened });
    return this.#toResult({ before, event, reopened }, result, before.context);
  }

  /** @param from The machine's context before the macrostep. */
  #toResult({ before, event, reopened }: StepInput, result: MachineStep, from: TaskContext): StepResult {
    const { snapshot, actions, transitions } = result;
    if (snapshot.status === "error") throw snapshot.error;
    const emitted = emittedBy(actions);
    const isChange = emitted.length > 0 || snapshot.context !== from;
    const after = isChange ? viewAfter(before, emitted, positionOf(snapshot)) : before;
    // No spread here: it slows an exploration by a tenth.
    const step: Step = { before, event, after, emitted };
    return { snapshot, actions, transitions, step: reopened ? { ...step, reopened } : step, isChange };
  }

  /** The state of the task when it is passivated after this step and activated; undefined where it can't be. */
  activate({ snapshot, step: { after } }: StepResult): SettledState | undefined {
    if (!isPassivatable(snapshot)) return undefined;
    const active = this.#runner.activate(snapshot, this.#input, after.recorded);
    return { snapshot: active, view: { ...after, ...positionOf(active) } };
  }
}

/** The parts of a step known before the macrostep. */
type StepInput = Pick<Step, "before" | "event" | "reopened">;

const positionOf = ({ value, context }: Snapshot): Pick<View, "state" | "context"> => ({
  state: dottedPath(value),
  context,
});
