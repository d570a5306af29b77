import type { TaskInput } from "../../machines/task/task.context.ts";
import type { taskMachine } from "../../machines/task/task.machine.ts";
import type { Violation } from "../../verify/exploration.ts";

/** A violation, and all that is needed to reproduce it. */
export interface FoundViolation {
  readonly violation: Violation;
  readonly machine: typeof taskMachine;
  readonly input: Partial<TaskInput>;
  /** The source of a test that fails until the fault is fixed. Absent: no test can reproduce the violation. */
  readonly test?: () => string;
}
