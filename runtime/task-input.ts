import { modelRefOf } from "../actors/llm/model.ts";
import { DEFAULT_PROFILE } from "../machines/task/profile.ts";
import type { TaskInput, TaskProfiles } from "../machines/task/task.context.ts";
import type { AssemblyOptions } from "./options.ts";

/** The input of the task machine without features. `from`: who grants the budget. */
export function inputOf(
  taskId: string,
  {
    model,
    profiles,
    profile,
    modeProfiles,
    fallbacks,
    chosenProfile,
    limits,
    budget,
    autoRetry,
    completion,
    queueDelivery,
    checkpoints,
    mode,
    permissions,
  }: AssemblyOptions,
  from: NonNullable<TaskInput["budget"]>["from"],
): TaskInput {
  return {
    taskId,
    model: modelRefOf(model),
    ...((profiles ?? profile) !== undefined && {
      profiles: profilesOf({ profiles, profile, modeProfiles, fallbacks }),
    }),
    ...(chosenProfile !== undefined && { chosenProfile }),
    ...(completion !== undefined && { completion }),
    ...(queueDelivery !== undefined && { queueDelivery }),
    ...(limits !== undefined && { limits }),
    ...(budget !== undefined && { budget: { from, grant: budget } }),
    ...(autoRetry !== undefined && { autoRetry }),
    ...(checkpoints !== undefined && { checkpoints }),
    ...(mode !== undefined && { mode }),
    ...(permissions !== undefined && { permissions }),
  };
}

function profilesOf({
  profiles = {},
  profile: standard = DEFAULT_PROFILE,
  modeProfiles: byMode = {},
  fallbacks = {},
}: {
  readonly [K in "profiles" | "profile" | "modeProfiles" | "fallbacks"]: AssemblyOptions[K] | undefined;
}): TaskProfiles {
  const models = Object.entries(profiles).map(([name, model]) => [name, modelRefOf(model)] as const);
  return { standard, models: Object.fromEntries(models), byMode, fallbacks };
}
