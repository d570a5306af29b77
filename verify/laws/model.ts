import { hasNoWork } from "../../machines/message/states.ts";
import type { EffectKind } from "../../machines/task/effect-kinds.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { Failure, ModelRef } from "../../machines/task/task.events.ts";
import { firstViolation, isSame, type Law, type Step } from "./law.ts";

/** The selected profile, and the one that the user selected last; null: the standard model. */
interface Selection {
  readonly name: string | null;
  readonly chosen: string | null;
}

const selectionIn = (recorded: Selection | null | undefined): Selection => ({
  name: recorded?.name ?? null,
  chosen: recorded?.chosen ?? null,
});

const keyOf = ({ profiles }: TaskContext, name: string): string | null =>
  name === profiles.standard ? null : name;

/** The selection after a switch to the mode of the context. */
function selectedBy(context: TaskContext, { chosen }: Selection): Selection {
  const name = context.profiles.byMode[context.mode];
  return { name: name === undefined ? chosen : keyOf(context, name), chosen };
}

/** The selections that the macrostep may lead to. */
function expectedAfter({ before, event, after, emitted, reopened }: Step): readonly Selection[] {
  const was = selectionIn(before.context.profile);
  const { context } = after;
  if (reopened !== undefined) return [selectionIn(reopened.facts.profile)];
  if (event.type === "profile.selected") {
    const name = keyOf(context, event.name);
    return [name === null || Object.hasOwn(context.profiles.models, name) ? { name, chosen: name } : was];
  }
  const ofMode = selectedBy(context, was);
  if (event.type === "mode.switched" || before.context.mode !== context.mode) return [ofMode];
  // A mode that is left and selected again in one macrostep.
  const isModeSet = emitted.some((part) => part.type === "facts.changed" && part.facts.mode !== undefined);
  return isModeSet ? [was, ofMode] : [was];
}

function selectionFollowsEvents(step: Step): string | undefined {
  const is = selectionIn(step.after.context.profile);
  const expected = expectedAfter(step);
  if (expected.some((one) => isSame(one, is))) return undefined;
  const names = expected.map((one) => JSON.stringify(one)).join(" or ");
  return `after ${step.event.type} the selection is ${JSON.stringify(is)}, expected ${names}`;
}

const modelOf = ({ profiles, standardModel }: TaskContext, profile: string | null): ModelRef | undefined =>
  profile === null ? standardModel : profiles.models[profile];

/** The profile of the next request: the selected one, or the one after those that failed. */
function profileInUse({ profile, profiles, fallback }: TaskContext): string | null {
  const selected = profile?.name ?? null;
  if (fallback === 0) return selected;
  const name = profiles.fallbacks?.[selected ?? profiles.standard]?.[fallback - 1];
  return name === undefined || name === profiles.standard ? null : name;
}

/** A request is opened with the model of the selected profile, which is recorded with it. */
function opensWithSelected({ before, after: { context } }: Step): string | undefined {
  if (context.request === undefined || context.request === before.context.request) return undefined;
  const profile = profileInUse(context);
  const model = modelOf(context, profile);
  if (!isSame(context.requestModel, { profile, model }))
    return `the request was opened with ${JSON.stringify(context.requestModel)}, and ${profile} is selected`;
  return model === undefined || isSame(context.model, model)
    ? undefined
    : `the recorded model is ${context.model?.id}, and the request goes to ${model.id}`;
}

/** All parts of a request have the mode that was selected when it was opened. */
function hasOneMode({ before, after: { context }, emitted }: Step): string | undefined {
  const { request, requestMode } = context;
  if (request === undefined) return requestMode === undefined ? undefined : "a closed request has a mode";
  const opened = request === before.context.request ? before.context.requestMode : context.mode;
  if (requestMode !== opened) return `the request has the mode ${requestMode}, and was opened in ${opened}`;
  for (const event of emitted) {
    if (event.type !== "effect.started" || !PARTS_OF_REQUEST.has(event.effect)) continue;
    const { mode = context.mode } = event;
    if (mode !== opened) return `${event.id} has the mode ${mode}, and the request has ${opened}`;
  }
  return undefined;
}

const PARTS_OF_REQUEST: ReadonlySet<EffectKind> = new Set(["context", "hook", "condense", "llm"]);

/** Another profile takes over where the endpoint fails and no retry is left, until the task is at rest. */
function replacesAfterFailure({ before, event, after, reopened }: Step): string | undefined {
  const [was, is] = [before.context.fallback, after.context.fallback];
  const isAtRest = hasNoWork(after.state);
  if (is === 0) {
    const isSelected =
      event.type === "profile.selected" || !isSame(before.context.profile, after.context.profile);
    const mayReturn = isAtRest || isSelected || reopened !== undefined;
    return was === 0 || mayReturn ? undefined : `${event.type} returned to the selected profile`;
  }
  if (isAtRest) return `a replaced profile is still in use in ${after.state}`;
  if (is === was) return undefined;
  const isFailure = event.type === "llm.failed" || event.type === "condense.failed";
  const mayFallBack = isFailure && is === was + 1 && event.failure.retryable;
  return mayFallBack && isSpent(before.context, event.failure)
    ? undefined
    : `${event.type} changed the profile in use after ${before.context.counters.retries} retries`;
}

const isSpent = ({ counters, limits }: TaskContext, { retryAfterMs = 0 }: Failure): boolean =>
  counters.retries >= limits.retries || retryAfterMs > limits.retryAfterMaxMs;

/** An open request keeps its model; without one there is none. */
function keepsModel({ before, after: { context } }: Step): string | undefined {
  if (context.request === undefined)
    return context.requestModel === undefined ? undefined : "a closed request has a model";
  if (context.request !== before.context.request) return undefined;
  return isSame(context.requestModel, before.context.requestModel)
    ? undefined
    : "the model of the open request changed";
}

/** The actors of a request send to its model. */
function sendsToModel({ after, emitted }: Step): string | undefined {
  const expected = after.context.requestModel?.profile ?? null;
  for (const event of emitted) {
    if (event.type !== "effect.started" || (event.effect !== "llm" && event.effect !== "condense")) continue;
    const profile = event.profile ?? null;
    if (profile !== expected)
      return `${event.id} sends to the profile ${profile}, and the request has ${expected}`;
  }
  return undefined;
}

/** A whole response names the model that it came from. Of a cut one there is text only, which any model understands. */
function responseNamesModel({ before, event: { type }, emitted }: Step): string | undefined {
  if (type !== "llm.finished") return undefined;
  const { id, provider } = before.context.requestModel?.model ?? {};
  for (const event of emitted) {
    if (event.type !== "entry.appended" || event.entry.role !== "assistant") continue;
    const { model } = event.entry;
    if (model?.id !== id || model?.provider !== provider)
      return `the response names ${model?.id}, and the request went to ${id}`;
  }
  return undefined;
}

/** MODEL: which model a request goes to is a recorded fact, and nothing else decides it. */
export const model: Law = {
  id: "MODEL",
  title:
    "each request goes to the model of the profile, and has the mode, that was selected when it was opened",
  violation: firstViolation(
    selectionFollowsEvents,
    opensWithSelected,
    replacesAfterFailure,
    keepsModel,
    hasOneMode,
    sendsToModel,
    responseNamesModel,
  ),
};
