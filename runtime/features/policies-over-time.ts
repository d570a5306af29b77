import { compiledPolicies } from "../options.ts";
import { TaskPolicies } from "../task-policies/task-policies.ts";
import type { Adds, FeatureHost, HostFeature, ResidentFeature } from "./feature.ts";

/** The policies over time of a task. They judge each call by what happened up to its start. */
export function policiesFeature({ journal }: FeatureHost): HostFeature<Adds<"judgeStart">> {
  return ({
    id: taskId,
    parent,
    workspace: { root: workspace },
    options: { permissions: { policies = [] } = {} },
  }) => {
    if (policies.length === 0) return undefined;
    return {
      input: { policies: true },
      reside: ({ lastSeq }) =>
        resident(
          new TaskPolicies({
            policies: compiledPolicies(policies),
            taskId,
            parent,
            lastSeq,
            journal,
            workspace,
          }),
        ),
    };
  };
}

const resident = (policies: TaskPolicies): ResidentFeature<Adds<"judgeStart">> => ({
  environment: { judgeStart: (call, facts) => policies.judgeStart(call, facts) },
  onCommit: ({ commit, seq, durable }) => {
    if (durable) policies.note(commit, seq);
  },
});
