import { profileNames } from "../../machines/task/profile.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { Feature } from "./feature.ts";

/** The user selects a profile: each of them, and one that does not exist. */
export const profiles: Feature = {
  name: "profiles",
  parts: { profile: ({ view, bounds }) => (bounds.profiles ? profileOf(view.context) : 0) },
  events: ({ view: { context }, bounds, at }) =>
    bounds.profiles
      ? [...profileNames(context.profiles), "gone"].map((name) => ({ type: "profile.selected", at, name }))
      : [],
};

/** The models of the open and the next request, and what a switch of the mode selects. Names do not count. */
const profileOf = ({ profile, profiles, mode, requestModel, requestMode }: TaskContext) => [
  Object.hasOwn(profiles.byMode, mode),
  requestMode !== undefined && requestMode !== mode,
  profile !== null && profile.name !== null,
  profile !== null && profile.chosen !== null,
  requestModel !== undefined && requestModel.profile !== (profile?.name ?? null),
];
