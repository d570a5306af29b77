import type { ResponseModel } from "../conversation/entry.ts";
import { leftOutOf } from "../conversation/sent.ts";
import type { Change } from "./change.ts";
import { selectedModel } from "./profile.ts";
import type { ModelRef } from "./task.events.ts";

/** The name of a model, without its endpoint: what a response records. */
export const nameOf = ({ provider, id }: ModelRef): ResponseModel => ({ provider, id });

/**
 * Records the model of the next request. A message names it where it is another than the recorded one, and how many blocks
 * it does not get. Another window is no other model.
 */
export function recordModel(change: Change): void {
  recordStandardModel(change);
  const { model, conversation } = change.context;
  const next = selectedModel(change.context);
  if (next === undefined) return;
  const isOther = !isSame(model, next);
  if (!isOther && isSameWindow(model, next)) return;
  if (isOther && model !== undefined) {
    const text = `The model changed from ${formatModel(model)} to ${formatModel(next)}.`;
    const leftOut = leftOutOf(conversation, next);
    change.append({ type: "say", say: "error", text: leftOut === 0 ? text : `${text} ${notSent(leftOut)}` });
  }
  change.set({ model: next });
}

/** Records the standard model of a task that was opened with another one. */
function recordStandardModel(change: Change): void {
  const { profile, standardModel: standard } = change.context;
  if (profile === null || standard === undefined) return;
  if (isSame(profile.standard, standard) && isSameWindow(profile.standard, standard)) return;
  change.set({ profile: { ...profile, standard } });
}

/** Reports the profiles that a reopened task does not have any more. */
export function reportLostProfiles(change: Change, lost: readonly string[]): void {
  const { standardModel } = change.context;
  const standard = standardModel === undefined ? "" : `, ${formatModel(standardModel)},`;
  for (const name of lost) {
    const text = `The profile ${name} no longer exists: the standard model${standard} replaces it.`;
    change.append({ type: "say", say: "error", text });
  }
}

const notSent = (count: number): string =>
  `It does not get ${count === 1 ? "1 block" : `${count} blocks`} of earlier responses that only their own model understands, such as thinking and server tools.`;

const isSame = (one: ModelRef | undefined, other: ModelRef): boolean =>
  one?.provider === other.provider && one.id === other.id && one.endpoint === other.endpoint;

const isSameWindow = (one: ModelRef | undefined, other: ModelRef): boolean =>
  one?.contextWindow === other.contextWindow;

const formatModel = ({ provider, id, endpoint }: ModelRef): string =>
  `${id} (${endpoint === undefined ? provider : `${provider}, ${endpoint}`})`;
