import { hasProfile, profileNames } from "../../machines/task/profile.ts";
import type { TaskProfiles } from "../../machines/task/task.context.ts";
import type { Modes } from "../../tools/modes/modes.ts";
import { HostError } from "./errors.ts";

/** Characters of an invalid slug that an error repeats. */
const EXCERPT_CHARS = 80;

/** @throws HostError `OPTION_INVALID` for anything but the slug of a mode */
export function assertMode(slug: unknown, { find, list }: Modes): void {
  if (typeof slug === "string" && find(slug) !== undefined) return;
  const got = typeof slug === "string" ? JSON.stringify(slug.slice(0, EXCERPT_CHARS)) : typeof slug;
  const slugs = list.map((mode) => mode.slug).join(", ");
  throw new HostError("OPTION_INVALID", `The mode is invalid: expected one of ${slugs}, got ${got}.`);
}

/** @throws HostError `OPTION_INVALID` for anything but the name of a profile */
export function assertProfile(name: unknown, profiles: TaskProfiles): void {
  if (typeof name === "string" && hasProfile(profiles, name)) return;
  const got = typeof name === "string" ? JSON.stringify(name.slice(0, EXCERPT_CHARS)) : typeof name;
  const names = profileNames(profiles).join(", ");
  throw new HostError("OPTION_INVALID", `The profile is invalid: expected one of ${names}, got ${got}.`);
}
