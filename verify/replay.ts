import type { AnyTransitionDefinition, SnapshotFrom } from "xstate";
import type { TaskInput, taskMachine } from "../machines/task/index.ts";
import type { Happening } from "./graph.ts";
import type { Step } from "./laws/index.ts";
import { Machinery } from "./machinery.ts";
import { Stepper } from "./stepper.ts";

type Machine = typeof taskMachine;

/** One macrostep of a path that is played again. */
export interface Played extends Step {
  readonly happening: Happening;
  readonly snapshot: SnapshotFrom<Machine>;
  /** The rows of the machine's table that it took, in order. */
  readonly rows: readonly AnyTransitionDefinition[];
}

/** A macrostep that threw: the machine stays where it was. */
export interface Broken {
  readonly happening: Happening;
  readonly error: unknown;
}

/** Plays a path from the beginning, event by event and crash by crash, on a machine and its input. */
export function replay(
  path: readonly Happening[],
  machine: Machine,
  input?: Partial<TaskInput>,
): readonly (Played | Broken)[] {
  const given = { taskId: "explored", ...input };
  const stepper = new Stepper(new Machinery(machine, given), given);
  let at = stepper.first;
  return path.map((happening) => {
    try {
      const { step, snapshot, rows } = stepper.step(at, happening);
      at = { snapshot, view: step.after };
      return { ...step, happening, snapshot, rows };
    } catch (error) {
      return { happening, error };
    }
  });
}
