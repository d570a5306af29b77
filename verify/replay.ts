import type { SnapshotFrom } from "xstate";
import type { TaskEvent, TaskInput, taskMachine } from "../machines/task/index.ts";
import { pastOf } from "./crash.ts";
import type { Happening } from "./graph.ts";
import type { Step } from "./laws/index.ts";
import { emittedBy, Machinery } from "./machinery.ts";
import { pathOf } from "./path-of.ts";
import { firstView, viewAfter, viewOfPast } from "./view.ts";

type Machine = typeof taskMachine;

/** One macrostep of a path that is played again. */
export interface Played extends Step {
  readonly happening: Happening;
  readonly snapshot: SnapshotFrom<Machine>;
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
  const machinery = new Machinery(machine, given);
  const fresh = machinery.begin(given).snapshot;
  let snapshot = fresh;
  let view = firstView({ state: pathOf(fresh.value), context: fresh.context });
  return path.map((happening) => {
    try {
      const played = macrostep(happening);
      ({ snapshot, after: view } = played);
      return played;
    } catch (error) {
      return { happening, error };
    }
  });

  function macrostep(happening: Happening): Played {
    const past = happening.type === "process.crashed" ? pastOf(view, happening) : undefined;
    const before = past === undefined ? view : viewOfPast(view, past, fresh.context);
    const event: TaskEvent =
      happening.type === "process.crashed" ? { type: "task.recovered", at: happening.at } : happening;
    const { snapshot: settled, actions } =
      past === undefined ? machinery.take(snapshot, event) : machinery.begin({ ...given, past });
    if (settled.status === "error") throw settled.error;
    const emitted = emittedBy(actions);
    const after = viewAfter(before, emitted, { state: pathOf(settled.value), context: settled.context });
    return {
      happening,
      event,
      before,
      after,
      emitted,
      snapshot: settled,
      ...(past !== undefined && { past }),
    };
  }
}
