import { SettingsError } from "./error.ts";
import type { ResolvedSettings } from "./resolve.ts";
import type { Profile } from "./schema.ts";

/** A profile with its name. */
export interface NamedProfile extends Profile {
  readonly name: string;
}

/**
 * The profile of a new task: the one of the command line or the environment, or that of its mode, or the default one.
 *
 * @throws SettingsError `unknown_profile`
 */
export function selectProfile(
  { settings, entries }: Pick<ResolvedSettings, "settings" | "entries">,
  mode: string,
): NamedProfile | undefined {
  const { profiles = {} } = settings;
  const chosen = entries.find(({ path: [first] }) => first === "profile");
  const isExplicit = chosen?.source === "environment" || chosen?.source === "flags";
  const ofMode = entries.find(({ path: [first, slug] }) => first === "modes" && slug === mode);
  const entry = isExplicit ? chosen : (ofMode ?? chosen);
  if (entry === undefined) return undefined;
  const name = String(entry.value);
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return { ...profile, name };
  const known = Object.keys(profiles);
  throw new SettingsError(
    "unknown_profile",
    `${entry.origin}: expected the name of a profile (${known.join(", ") || "none is defined"}), received '${name}'. Define it under profiles of your settings, or name another.`,
  );
}
