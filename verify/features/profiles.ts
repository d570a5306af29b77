import { profileNames } from "../../machines/task/index.ts";
import type { Feature } from "./feature.ts";

/** The user selects a profile: each of them, and one that does not exist. */
export const profiles: Feature = {
  name: "profiles",
  events: ({ view: { context }, bounds, at }) =>
    bounds.profiles
      ? [...profileNames(context.profiles), "gone"].map((name) => ({ type: "profile.selected", at, name }))
      : [],
};
