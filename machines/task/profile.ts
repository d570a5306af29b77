import { assertEvent } from "xstate";
import type { Change } from "./change.ts";
import type { TaskContext, TaskInput, TaskProfiles } from "./task.context.ts";
import type { ModelRef, ProfileSelection } from "./task.events.ts";

/** The name of the standard model of a task that does not name it. */
export const DEFAULT_PROFILE = "default";

/** A task with its standard model only. */
export const NO_PROFILES: TaskProfiles = { standard: DEFAULT_PROFILE, models: {}, byMode: {} };

type Selection = Pick<TaskContext, "profile" | "profiles">;
type Use = Pick<TaskContext, "profile" | "profiles" | "fallback">;

/** The names that can be selected, the standard model's first. */
export const profileNames = ({ standard, models }: TaskProfiles): readonly string[] => [
  standard,
  ...Object.keys(models),
];

/** Whether a profile of this name can be selected. */
export const hasProfile = ({ standard, models }: TaskProfiles, name: string): boolean =>
  name === standard || Object.hasOwn(models, name);

/** The profile of the next request: the selected one, or one that replaces it. Null: the standard model. */
export function profileInUse(context: Use): string | null {
  const name = fallbacksOf(context)[context.fallback - 1];
  return name === undefined ? selectedKey(context) : keyOf(context.profiles, name);
}

function selectedKey({ profile, profiles }: Selection): string | null {
  const name = profile?.name ?? null;
  return name !== null && Object.hasOwn(profiles.models, name) ? name : null;
}

/** The profiles that replace the selected one, in order. */
const fallbacksOf = (context: Selection): readonly string[] =>
  context.profiles.fallbacks?.[selectedKey(context) ?? context.profiles.standard] ?? [];

/** The name of the profile of the next request. */
export const selectedProfile = (context: Use): string => profileInUse(context) ?? context.profiles.standard;

/** Whether another profile can take over when the profile of the newest request fails. */
export const hasFallback = (context: Use): boolean => context.fallback < fallbacksOf(context).length;

/** Selects the profile that replaces the one whose requests failed. */
export function selectFallback(change: Change): void {
  change.set({ fallback: change.context.fallback + 1 });
}

/** Returns to the selected profile. */
export function endFallback(change: Change): void {
  if (change.context.fallback > 0) change.set({ fallback: 0 });
}

/** The model of the next request. An open request keeps the one that it was opened with. */
export function selectedModel(
  context: Pick<TaskContext, "profile" | "profiles" | "fallback" | "standardModel">,
): ModelRef | undefined {
  const name = profileInUse(context);
  return name === null ? context.standardModel : context.profiles.models[name];
}

/** The profile of the open request, for its actors. */
export function requestProfile({ requestModel }: TaskContext): { readonly profile?: string } {
  const profile = requestModel?.profile ?? null;
  return profile === null ? {} : { profile };
}

/**
 * Selection of a new task: the profile that the call of its parent names, or the profile of its mode, or the one that the
 * user selected for its parent.
 */
export function firstSelection(
  { profiles = NO_PROFILES, chosenProfile, namedProfile, model }: TaskInput,
  mode: string,
): ProfileSelection | null {
  const named = namedProfile === undefined ? undefined : keyOf(profiles, namedProfile);
  const chosen = named === undefined ? (chosenProfile ?? null) : named;
  const name = named === undefined ? profileIn(profiles, mode, chosen) : named;
  return name === null && chosen === null ? null : selectionOf(name, chosen, model);
}

/** The profile of a mode. A mode without one has the profile that the user selected last. */
function profileIn(profiles: TaskProfiles, mode: string, chosen: string | null): string | null {
  const name = Object.hasOwn(profiles.byMode, mode) ? profiles.byMode[mode] : undefined;
  return name === undefined ? chosen : keyOf(profiles, name);
}

const keyOf = ({ standard }: TaskProfiles, name: string): string | null => (name === standard ? null : name);

const selectionOf = (
  name: string | null,
  chosen: string | null,
  standard: ModelRef | undefined,
): ProfileSelection => ({ name, chosen, ...(standard !== undefined && { standard }) });

/** The selection as a fact of a commit. The standard model is recorded only by a return to it. */
export const profileFact = ({ profile }: TaskContext): Pick<Partial<TaskContext>, "profile"> =>
  profile === null ? {} : { profile };

/** The user selects a profile: for now, and for every mode without one. */
export function selectProfile(change: Change): void {
  const { event } = change;
  assertEvent(event, "profile.selected");
  endFallback(change);
  const name = keyOf(change.context.profiles, event.name);
  select(change, name, name);
}

/** Selects the profile of the mode. */
export function selectProfileOfMode(change: Change): void {
  const { profile, profiles, mode } = change.context;
  const chosen = profile?.chosen ?? null;
  select(change, profileIn(profiles, mode, chosen), chosen);
}

function select(change: Change, name: string | null, chosen: string | null): void {
  const { profile, standardModel } = change.context;
  if (name === (profile?.name ?? null) && chosen === (profile?.chosen ?? null)) return;
  endFallback(change);
  change.set({ profile: selectionOf(name, chosen, standardModel) });
}

/** The selected profiles that a reopened task does not have any more. */
export function lostProfiles({ profile, profiles }: Selection): readonly string[] {
  const names = new Set([profile?.name ?? null, profile?.chosen ?? null]);
  return [...names].flatMap((name) => (name === null || hasProfile(profiles, name) ? [] : [name]));
}

/** Selects the standard model in place of profiles that a reopened task does not have any more. */
export function replaceLostProfiles(change: Change): void {
  const { profile, profiles } = change.context;
  if (profile === null) return;
  const kept = (name: string | null) => (name !== null && Object.hasOwn(profiles.models, name) ? name : null);
  select(change, kept(profile.name), kept(profile.chosen));
}
