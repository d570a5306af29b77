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

/**
 * @param names The names of all profiles.
 * @throws HostError `OPTION_INVALID` for anything but one of them
 */
export function assertProfile(name: unknown, names: readonly string[]): void {
  if (names.some((each) => each === name)) return;
  const got = typeof name === "string" ? JSON.stringify(name.slice(0, EXCERPT_CHARS)) : typeof name;
  const expected = names.join(", ");
  throw new HostError("OPTION_INVALID", `The profile is invalid: expected one of ${expected}, got ${got}.`);
}
