import type { AnyTransitionDefinition, SnapshotFrom } from "xstate";
import type { TaskInput } from "../machines/task/task.context.ts";
import type { taskMachine } from "../machines/task/task.machine.ts";
import type { PathEvent } from "./graph.ts";
import { checkLaw, type Law, type Step } from "./laws/law.ts";
import { MachineRunner } from "./runner.ts";
import { Stepper } from "./stepper.ts";

type Machine = typeof taskMachine;

/** One replayed macrostep. */
export interface ReplayedStep extends Step {
  readonly pathEvent: PathEvent;
  readonly snapshot: SnapshotFrom<Machine>;
  /** Transitions taken, in order. */
  readonly transitions: readonly AnyTransitionDefinition[];
}

/** A macrostep that threw. The state does not change. */
export interface FailedStep {
  readonly pathEvent: PathEvent;
  readonly error: unknown;
}

/** Replay a path from the initial state, with its crashes. */
export function replay(
  path: readonly PathEvent[],
  machine: Machine,
  input?: Partial<TaskInput>,
): readonly (ReplayedStep | FailedStep)[] {
  const given = { taskId: "explored", ...input };
  const stepper = new Stepper(new MachineRunner(machine, given), given);
  let at = stepper.first;
  return path.map((pathEvent) => {
    try {
      const result = stepper.step(at, pathEvent);
      const { step, snapshot, transitions } = result;
      const active = stepper.activate(result);
      at = active ?? { snapshot, view: step.after };
      return { ...step, ...(active && { activated: active.view }), pathEvent, snapshot, transitions };
    } catch (error) {
      return { pathEvent, error };
    }
  });
}

/**
 * Replays a path and checks each macrostep against the laws. Returns the violations in order, as `law: reason`. A
 * machine that throws violates `INVARIANT` and ends the replay.
 *
 * @example
 * ```ts
 * import { taskMachine } from "signalbox/machines";
 * import { ALL_LAWS, violationsOn } from "signalbox/verify";
 * const path = [{ type: "task.start", at: 1, text: "go", images: [] }, { type: "task.cancel", at: 2, origin: "user" }] as const;
 * console.log(violationsOn(path, taskMachine, ALL_LAWS)); // []
 * ```
 */
export function violationsOn(
  path: readonly PathEvent[],
  machine: typeof taskMachine,
  laws: readonly Law[],
  input?: Partial<TaskInput>,
): readonly string[] {
  const broken: string[] = [];
  for (const step of replay(path, machine, input)) {
    if ("error" in step) return [...broken, `INVARIANT: ${String(step.error)}`];
    for (const law of laws) {
      const what = checkLaw(step, law);
      if (what !== undefined) broken.push(`${law.id}: ${what}`);
    }
  }
  return broken;
}
