import { PROVIDERS } from "../../adapters/models/provider.ts";
import type { ProviderName } from "../../adapters/models/table.ts";
import { DEFAULT_MODE } from "../../machines/task/mode.ts";
import { type LoadedSettings, userSettingsFile } from "../../settings/load.ts";
import { isProfileNamed, modeProfiles, selectProfile } from "../../settings/profile.ts";
import { CliError, KeyError } from "../error.ts";
import type { Io } from "../io.ts";
import { hasMock, type RunProvider, splitRunModel } from "../providers.ts";
import { noEndpoint, noKey, noModel } from "../run/missing.ts";
import type { ModelProfile, ModelSettings, ProviderEnvironment, Session } from "../run/settings.ts";
import { configFolder } from "./config-folder.ts";
import { knownModels } from "./known-models.ts";
import { withSettingsErrors } from "./load.ts";
import { readProfiles } from "./profiles.ts";
import type { ReasoningEffort, RunFlags } from "./run-flags.ts";

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
  needsKey = true,
): Promise<ModelSettings> {
  const { script, apiKey, baseUrl, reasoningEffort } = flags;
  const isNew = session.kind === "new";
  const settingsFile = userSettingsFile(configFolder(io));
  const isExplicit = isProfileNamed(loaded);
  const isNamed =
    isExplicit || [flags.provider, flags.model, baseUrl || undefined].some((flag) => flag !== undefined);
  const named = await withSettingsErrors(() => selectProfiles(loaded, isNamed));
  const environment = environmentOf(io.env);
  const profiles = (await readProfiles(loaded, environment, io)).map((profile) =>
    isNew && profile.name === named.first ? withKey(profile, apiKey) : profile,
  );
  const find = (name: string | undefined) => profiles.find((profile) => profile.name === name);
  const standard = find(named.standard);
  const { provider, model } = namedModel(flags, isExplicit ? standard : undefined);
  assertScript(flags, isNew, profiles);
  const profile =
    standard === undefined || (provider !== undefined && provider !== standard.provider)
      ? undefined
      : { ...withKey(standard, apiKey), isExplicit };
  const settings: ModelSettings = {
    provider,
    id: model,
    baseURL: baseUrl || undefined,
    environment,
    apiKey,
    effort: parseEffort(reasoningEffort),
    script,
    profile,
    profiles,
    ...knownModels(loaded, environment, profiles),
    modeProfiles: named.byMode,
    isNamed,
    settingsFile,
  };
  const first = find(named.first) ?? profile;
  if (isNew) assertUsable(first, provider ?? first?.provider ?? "anthropic", settings, needsKey);
  // Whether there is a task to continue is known later, and then its model.
  else if (session.kind !== "newest") assertKey(isExplicit ? profile : undefined, provider, settings);
  return settings;
}

/**
 * The provider and the model of the command line. With --provider, or a profile of an endpoint whose models may have any
 * name, the name is the model's alone.
 */
function namedModel(
  { provider, model }: ModelFlags,
  profile: ModelProfile | undefined,
): { readonly provider?: RunProvider | undefined; readonly model?: string | undefined } {
  const isWhole = provider !== undefined || profile?.provider === "openai-compatible";
  return isWhole || model === undefined ? { provider, model } : splitRunModel(model);
}

/** Names of profiles. `first`: the profile of the mode in which a new task begins. */
async function selectProfiles(loaded: LoadedSettings, isNamed: boolean) {
  const mode = loaded.settings.mode ?? DEFAULT_MODE;
  const byMode = isNamed ? {} : modeProfiles(loaded);
  return {
    standard: selectProfile(loaded, isNamed ? mode : undefined)?.name,
    first: Object.hasOwn(byMode, mode) ? byMode[mode] : undefined,
    byMode,
  };
}

/** The provider of a resumed task may be the mock. @throws CliError for a script that no model can use */
function assertScript(
  { script, provider }: ModelFlags,
  isNew: boolean,
  profiles: readonly ModelProfile[],
): void {
  const isUsed = provider === "mock" || (provider === undefined && !isNew) || hasMock(profiles);
  if (script !== undefined && !isUsed)
    throw new CliError(
      "--script requires --provider mock, or a profile of the provider mock. Add --provider mock.",
    );
}

/** @throws KeyError if the model that the run begins with has no key */
function assertKey(
  profile: ModelProfile | undefined,
  provider: RunProvider | undefined,
  { environment, apiKey, settingsFile }: ModelSettings,
): void {
  if (profile?.problem !== undefined) throw new KeyError(profile.problem);
  const used = profile?.provider ?? provider;
  if (used === undefined || used === "mock" || (apiKey ?? profile?.apiKey)) return;
  if (!environment[used].hasKey) throw noKey(used, settingsFile);
}

/** @throws CliError if the model of a new task has no key, no name or no endpoint */
function assertUsable(
  profile: ModelProfile | undefined,
  provider: RunProvider,
  settings: ModelSettings,
  needsKey: boolean,
): void {
  if (provider === "mock") return;
  const { id, baseURL, environment, settingsFile } = settings;
  if (needsKey) assertKey(profile, provider, settings);
  if (provider !== "anthropic" && (id ?? profile?.model) === undefined) throw noModel(provider);
  const endpoint = baseURL ?? profile?.endpoint ?? environment[provider].baseURL;
  if ((endpoint ?? PROVIDERS[provider].publicApi) === undefined) throw noEndpoint(provider, settingsFile);
}

/** The key of the command line is for the model that the run begins with. */
const withKey = (profile: ModelProfile, apiKey: string | undefined): ModelProfile =>
  apiKey ? { ...profile, apiKey, keySource: "--api-key", problem: undefined } : profile;

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

/** The endpoint and key of each provider in the environment. */
export function environmentOf(env: Io["env"]): ModelSettings["environment"] {
  const of = (provider: ProviderName): ProviderEnvironment => {
    const { keyVariables, urlVariable = "" } = PROVIDERS[provider];
    const hasKey = keyVariables.length === 0 || keyVariables.some((name) => env[name]);
    return { baseURL: env[urlVariable] || undefined, hasKey };
  };
  return {
    anthropic: of("anthropic"),
    openai: of("openai"),
    google: of("google"),
    "openai-compatible": of("openai-compatible"),
  };
}
