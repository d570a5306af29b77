import type { ModelRef } from "./task.events.ts";

/** The name of a model: `provider/id`. */
export const modelName = ({ provider, id }: ModelRef): string => `${provider}/${id}`;
