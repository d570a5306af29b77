import type { SettingEntry } from "./entry.ts";
import { SettingsError } from "./error.ts";
import type { ResolvedSettings } from "./resolve.ts";
import type { Profile } from "./schema.ts";

/** A profile with its name. */
export interface NamedProfile extends Profile {
  readonly name: string;
}

type Resolved = Pick<ResolvedSettings, "settings" | "entries">;

/**
 * The profile of a new task: the profile that the command line or the environment names, or the profile of its mode, or the
 * default profile.
 *
 * @param mode Absent: the profile of the modes that have none.
 * @throws SettingsError `PROFILE_UNKNOWN`
 */
export function selectProfile(resolved: Resolved, mode?: string): NamedProfile | undefined {
  const { entries } = resolved;
  const chosen = entries.find(({ path: [first] }) => first === "profile");
  const ofMode = entries.find(({ path: [first, slug] }) => first === "modes" && slug === mode);
  const entry = isProfileNamed(resolved) ? chosen : (ofMode ?? chosen);
  return entry === undefined ? undefined : profileOf(resolved, entry);
}

/**
 * The profiles of the modes, by the modes' slugs. None where the command line or the environment names a profile: it is
 * the profile of all modes.
 *
 * @throws SettingsError `PROFILE_UNKNOWN`
 */
export function modeProfiles(resolved: Resolved): Readonly<Record<string, string>> {
  if (isProfileNamed(resolved)) return {};
  const entries = resolved.entries.filter(({ path: [first] }) => first === "modes");
  return Object.fromEntries(
    entries.map((entry) => [entry.path.at(-1) ?? "", profileOf(resolved, entry).name]),
  );
}

/** Whether the command line or the environment names a profile. */
export function isProfileNamed({ entries }: Pick<ResolvedSettings, "entries">): boolean {
  const source = entries.find(({ path: [first] }) => first === "profile")?.source;
  return source === "environment" || source === "flags";
}

function profileOf({ settings: { profiles = {} } }: Resolved, { value, origin }: SettingEntry): NamedProfile {
  const name = String(value);
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return { ...profile, name };
  const known = Object.keys(profiles);
  throw new SettingsError(
    "PROFILE_UNKNOWN",
    `${origin}: expected the name of a profile (${known.join(", ") || "none is defined"}), received '${name}'. Define it under profiles of your settings, or name another.`,
  );
}
