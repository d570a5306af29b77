import type { Change } from "./change.ts";
import type { ModelRef } from "./task.events.ts";

/** Records the model of the next request. A message names it where it is another than the recorded one. */
export function recordModel(change: Change): void {
  const { model, configuredModel } = change.context;
  if (configuredModel === undefined || isSame(model, configuredModel)) return;
  if (model !== undefined) {
    const text = `The model changed from ${formatModel(model)} to ${formatModel(configuredModel)}.`;
    change.append({ type: "say", say: "error", text });
  }
  change.set({ model: configuredModel });
}

const isSame = (one: ModelRef | undefined, other: ModelRef): boolean =>
  one?.provider === other.provider && one.id === other.id && one.endpoint === other.endpoint;

const formatModel = ({ provider, id, endpoint }: ModelRef): string =>
  `${id} (${endpoint === undefined ? provider : `${provider}, ${endpoint}`})`;
