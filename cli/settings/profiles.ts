import { PROVIDERS } from "../../adapters/models/provider.ts";
import { SettingsError } from "../../settings/error.ts";
import { readProfileKey } from "../../settings/keys.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import type { NamedProfile } from "../../settings/profile.ts";
import type { Io } from "../io.ts";
import type { ModelProfile, ModelSettings } from "../run/settings.ts";
import { configFolder } from "./config-folder.ts";

type Environment = ModelSettings["environment"];
type Key = Pick<ModelProfile, "apiKey" | "keySource" | "problem">;

/** All profiles. One whose key can't be read has the reason. */
export async function readProfiles(
  { settings: { profiles = {} } }: Pick<LoadedSettings, "settings">,
  environment: Environment,
  io: Io,
): Promise<readonly ModelProfile[]> {
  return Promise.all(
    Object.entries(profiles).map(async ([name, profile]) => {
      const named = { ...profile, name };
      return { ...named, ...(await keyOf(named, environment, io)) };
    }),
  );
}

async function keyOf(profile: NamedProfile, environment: Environment, io: Io): Promise<Key> {
  const { name, provider, keyVariable } = profile;
  if (provider === "mock") return {};
  try {
    const key = await readProfileKey(name, profile, { configDir: configFolder(io), env: io.env });
    if (key) return { apiKey: key, keySource: keyVariable ?? `the key of ${name} in keys.yaml` };
    const problem = environment[provider].hasKey ? undefined : missingKey(profile);
    return { keySource: standardSource(profile), problem };
  } catch (error) {
    if (error instanceof SettingsError) return { problem: error.message };
    throw error;
  }
}

const variablesOf = ({ provider }: NamedProfile): readonly string[] =>
  provider === "mock" ? [] : PROVIDERS[provider].keyVariables;

/** The setting to check where a profile without a key of its own gets a wrong one. */
const standardSource = (profile: NamedProfile): string =>
  [...variablesOf(profile), `the keyVariable of profile ${profile.name}`].join(", or ");

const missingKey = (profile: NamedProfile): string =>
  `profile ${profile.name}: expected an API key, and there is none. Set ${variablesOf(profile)[0]}, or name a variable with keyVariable.`;
