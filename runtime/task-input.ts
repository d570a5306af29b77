import { modelRefOf } from "../actors/llm/model.ts";
import { DEFAULT_PROFILE } from "../machines/task/profile.ts";
import type { TaskInput, TaskProfiles } from "../machines/task/task.context.ts";
import type { AssemblyOptions, PermissionOptions, SelectedModels } from "./options.ts";

/** The input of the task machine without features. `from`: who grants the budget. */
export function inputOf(
  taskId: string,
  {
    models,
    chosenProfile,
    namedProfile,
    limits,
    budget,
    autoRetry,
    completion,
    queueDelivery,
    checkpoints,
    backgroundSubtasks,
    mode,
    permissions,
    wakeUp,
  }: AssemblyOptions,
  from: NonNullable<TaskInput["budget"]>["from"],
): TaskInput {
  return {
    taskId,
    model: modelRefOf(models.default),
    ...(hasProfiles(models) && { profiles: profilesOf(models) }),
    ...(chosenProfile !== undefined && { chosenProfile }),
    ...(namedProfile !== undefined && { namedProfile }),
    ...(completion !== undefined && { completion }),
    ...(queueDelivery !== undefined && { queueDelivery }),
    ...(limits !== undefined && { limits }),
    ...(budget !== undefined && { budget: { from, grant: budget } }),
    ...(autoRetry !== undefined && { autoRetry }),
    ...(checkpoints !== undefined && { checkpoints }),
    ...(backgroundSubtasks !== undefined && { subtasksAtCompletion: backgroundSubtasks }),
    ...(mode !== undefined && { mode }),
    // A subtask has no wake-ups.
    ...(wakeUp !== undefined && from === "user" && { wakeUp }),
    ...firstPermissions(permissions),
  };
}

/** The level and the rules that a task is created with. A judge and policies over time are not recorded. */
function firstPermissions({ level, rules }: PermissionOptions = {}): Pick<TaskInput, "permissions"> {
  if (level === undefined && rules === undefined) return {};
  return {
    permissions: { ...(level !== undefined && { mode: level }), ...(rules !== undefined && { rules }) },
  };
}

const hasProfiles = ({ name, named }: SelectedModels): boolean =>
  name !== DEFAULT_PROFILE || Object.keys(named).length > 0;

function profilesOf({ name: standard, named, byMode, fallbacks }: SelectedModels): TaskProfiles {
  const models = Object.entries(named).map(([name, model]) => [name, modelRefOf(model)] as const);
  return { standard, models: Object.fromEntries(models), byMode, fallbacks };
}
