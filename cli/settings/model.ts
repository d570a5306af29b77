import { DEFAULT_MODE } from "../../machines/task/index.ts";
import {
  isProfileNamed,
  type LoadedSettings,
  modeProfiles,
  type NamedProfile,
  readProfileKey,
  SettingsError,
  selectProfile,
  userSettingsFile,
} from "../../settings/index.ts";
import type { ReasoningEffort, RunFlags } from "../commands/run-flags.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { type ModelProfile, type ModelSettings, noKey, type Session } from "../run/index.ts";
import { configFolder } from "./config-folder.ts";
import { withSettingsErrors } from "./load.ts";

type ModelFlags = Pick<RunFlags, "provider" | "model" | "script" | "apiKey" | "baseUrl" | "reasoningEffort">;

/**
 * The models of a run. A task that is resumed without --provider may be one of the mock provider, which takes no key.
 *
 * @throws CliError without an API key, or for a profile that can't be used
 */
export async function readModel(
  flags: ModelFlags,
  loaded: LoadedSettings,
  session: Session,
  io: Io,
): Promise<ModelSettings> {
  const { provider, model, script, apiKey, baseUrl, reasoningEffort } = flags;
  const isNew = session.kind === "new";
  const settingsFile = userSettingsFile(configFolder(io));
  const isExplicit = isProfileNamed(loaded);
  const isNamed = isExplicit || [provider, model, baseUrl || undefined].some((flag) => flag !== undefined);
  const named = await withSettingsErrors(() => selectProfiles(loaded, isNamed));
  const profiles = (await readProfiles(loaded, io)).map((profile) =>
    isNew && profile.name === named.first ? withKey(profile, apiKey) : profile,
  );
  const find = (name: string | undefined) => profiles.find((profile) => profile.name === name);
  const standard = find(named.standard);
  const profile =
    standard === undefined || (provider !== undefined && provider !== standard.provider)
      ? undefined
      : { ...withKey(standard, apiKey), isExplicit };
  const { ANTHROPIC_BASE_URL } = io.env;
  const hasKey = Boolean(apiKey) || hasStandardKey(io);
  if (isNew) assertKey(find(named.first) ?? profile, provider ?? "anthropic", hasKey, settingsFile);
  // Whether there is a task to continue is known later, and then its model.
  else if (session.kind !== "newest")
    assertKey(isExplicit ? profile : undefined, provider, hasKey, settingsFile);
  return {
    provider,
    id: model,
    baseURL: baseUrl || undefined,
    defaultBaseURL: ANTHROPIC_BASE_URL || undefined,
    apiKey,
    hasKey,
    effort: parseEffort(reasoningEffort),
    script,
    profile,
    profiles,
    modeProfiles: named.byMode,
    isNamed,
    settingsFile,
  };
}

/** Names of profiles. `first`: that of the mode in which a new task begins. */
async function selectProfiles(loaded: LoadedSettings, isNamed: boolean) {
  const mode = loaded.settings.mode ?? DEFAULT_MODE;
  const byMode = isNamed ? {} : modeProfiles(loaded);
  return {
    standard: selectProfile(loaded, isNamed ? mode : undefined)?.name,
    first: Object.hasOwn(byMode, mode) ? byMode[mode] : undefined,
    byMode,
  };
}

/** @throws CliError if the model that the run begins with has no key */
function assertKey(
  profile: ModelProfile | undefined,
  provider: string | undefined,
  hasKey: boolean,
  settingsFile: string,
): void {
  if (profile?.problem !== undefined) throw new CliError(profile.problem);
  const used = profile?.provider ?? provider;
  if (used === "anthropic" && !hasKey && profile?.apiKey === undefined) throw noKey(settingsFile);
}

const hasStandardKey = ({ env: { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN } }: Io): boolean =>
  Boolean(ANTHROPIC_API_KEY || ANTHROPIC_AUTH_TOKEN);

/** The key of the command line is for the model that the run begins with. */
const withKey = (profile: ModelProfile, apiKey: string | undefined): ModelProfile =>
  apiKey ? { ...profile, apiKey, problem: undefined } : profile;

/** All profiles. One whose key can't be read has the reason. */
async function readProfiles(
  { settings: { profiles = {} } }: LoadedSettings,
  io: Io,
): Promise<readonly ModelProfile[]> {
  return Promise.all(
    Object.entries(profiles).map(async ([name, profile]) => {
      const { provider, model, endpoint, headers, tools } = profile;
      return { name, provider, model, endpoint, headers, tools, ...(await keyOf({ ...profile, name }, io)) };
    }),
  );
}

async function keyOf(profile: NamedProfile, io: Io): Promise<Pick<ModelProfile, "apiKey" | "problem">> {
  if (profile.provider !== "anthropic") return { apiKey: undefined, problem: undefined };
  try {
    const apiKey = await readProfileKey(profile.name, profile, {
      configDir: configFolder(io),
      env: io.env,
    });
    const hasKey = Boolean(apiKey) || hasStandardKey(io);
    return { apiKey: apiKey || undefined, problem: hasKey ? undefined : missingKey(profile.name) };
  } catch (error) {
    if (error instanceof SettingsError) return { apiKey: undefined, problem: error.message };
    throw error;
  }
}

const missingKey = (name: string): string =>
  `profile ${name}: expected an API key, and there is none. Set ANTHROPIC_API_KEY, or name a variable with keyVariable.`;

/** The level that the API knows; undefined leaves it to the model. */
function parseEffort(effort: ReasoningEffort | undefined): ModelSettings["effort"] {
  switch (effort) {
    case undefined:
    case "unspecified":
    case "disabled":
    case "none":
      return undefined;
    case "minimal":
      return "low";
    default:
      return effort;
  }
}
