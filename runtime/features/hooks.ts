import { memoize } from "../../machines/conversation/memoize.ts";
import { type Hook, machinePoints } from "../../tools/hook.ts";
import type { Adds, FeatureHost, HostFeature } from "./feature.ts";
import { RestHooks } from "./rest-hooks.ts";

/** The points at which the machine starts hooks: one list for all tasks with the same hooks. */
const startedAt = memoize((hooks: readonly Hook[]) => machinePoints(hooks));

/** The hooks of a task. The machine starts hooks around requests and calls; a commit that settles the task starts hooks at rest. */
export function hooksFeature({ clock, dataDir, onError }: FeatureHost): HostFeature<Adds<"hooks">> {
  return ({ id: taskId, workspace: { root: workspace }, options: { hooks: list } }) => {
    if (list === undefined) return undefined;
    const hooks = list.filter(({ onRest }) => onRest !== undefined);
    const rest =
      hooks.length === 0 ? undefined : new RestHooks({ taskId, workspace, dataDir, hooks, clock, onError });
    return {
      input: { hooks: startedAt(list) },
      reside: () => ({
        environment: { hooks: { taskId, dataDir, list } },
        onCommit: (published) => rest?.see(published),
      }),
      ended: async () => rest?.ended(),
    };
  };
}
