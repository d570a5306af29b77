import { leftOutOf, type ResponseModel } from "../conversation/index.ts";
import type { Change } from "./change.ts";
import type { ModelRef } from "./task.events.ts";

/** The name of a model, without its endpoint: what a response records. */
export const nameOf = ({ provider, id }: ModelRef): ResponseModel => ({ provider, id });

/**
 * Records the model of the next request. A message names it where it is another than the recorded one, and how many blocks
 * it does not get. Another window is no other model.
 */
export function recordModel(change: Change): void {
  const { model, configuredModel, conversation } = change.context;
  if (configuredModel === undefined) return;
  const isOther = !isSame(model, configuredModel);
  if (!isOther && model?.contextWindow === configuredModel.contextWindow) return;
  if (isOther && model !== undefined) {
    const text = `The model changed from ${formatModel(model)} to ${formatModel(configuredModel)}.`;
    const leftOut = leftOutOf(conversation, configuredModel);
    change.append({ type: "say", say: "error", text: leftOut === 0 ? text : `${text} ${notSent(leftOut)}` });
  }
  change.set({ model: configuredModel });
}

const notSent = (count: number): string =>
  `It does not get ${count === 1 ? "1 block" : `${count} blocks`} of earlier responses that only their own model understands, such as thinking and server tools.`;

const isSame = (one: ModelRef | undefined, other: ModelRef): boolean =>
  one?.provider === other.provider && one.id === other.id && one.endpoint === other.endpoint;

const formatModel = ({ provider, id, endpoint }: ModelRef): string =>
  `${id} (${endpoint === undefined ? provider : `${provider}, ${endpoint}`})`;
