import { DEFAULT_PROFILE } from "../../machines/task/profile.ts";
import type { ModelOptions } from "../../runtime/options.ts";
import type { ServedModel } from "../../wire/http/api.ts";

/** The models that a task with these options can select, the standard one first. */
export function servedModels({ model, models }: ModelOptions): readonly ServedModel[] {
  const { default: standard, name = DEFAULT_PROFILE, named = {} } = models ?? { default: model };
  return [[name, standard] as const, ...Object.entries(named)].map(([profile, selector]) => {
    const chosen = nameOf(selector);
    return { profile, ...(chosen !== undefined && { model: chosen }) };
  });
}

/** The name of a model. Undefined for a function: its model depends on the task. */
function nameOf(selector: NonNullable<ModelOptions["models"]>["default"] | undefined): string | undefined {
  if (typeof selector === "string") return selector;
  return typeof selector === "object" ? selector.id : undefined;
}
