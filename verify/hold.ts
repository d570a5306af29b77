import type { TaskInput, taskMachine } from "../machines/task/index.ts";
import type { Happening } from "./graph.ts";
import { brokenBy, type Law } from "./laws/index.ts";
import { replay } from "./replay.ts";

/**
 * Plays one path on a machine and holds the laws against each of its macrosteps. Gives what is broken, in order, as
 * `law: what is wrong`; nothing, if all hold. A machine that throws is broken, and the rest of the path isn't played.
 *
 * @example
 * ```ts
 * import { taskMachine } from "signalbox/machines";
 * import { ALL_LAWS, brokenOn } from "signalbox/verify";
 * const path = [{ type: "task.start", at: 1, text: "go", images: [] }, { type: "task.cancel", at: 2 }] as const;
 * console.log(brokenOn(path, taskMachine, ALL_LAWS)); // []
 * ```
 */
export function brokenOn(
  path: readonly Happening[],
  machine: typeof taskMachine,
  laws: readonly Law[],
  input?: Partial<TaskInput>,
): readonly string[] {
  const broken: string[] = [];
  for (const step of replay(path, machine, input)) {
    if ("error" in step) return [...broken, `INVARIANT: ${String(step.error)}`];
    for (const law of laws) {
      const what = brokenBy(step, law);
      if (what !== undefined) broken.push(`${law.id}: ${what}`);
    }
  }
  return broken;
}
