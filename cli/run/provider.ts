import { DEFAULT_MODEL } from "../../adapters/anthropic/prices.ts";
import { PROVIDERS } from "../../adapters/models/provider.ts";
import type { ProviderName } from "../../adapters/models/table.ts";
import { xmlTools } from "../../adapters/xml-tools/model.ts";
import { DEFAULT_PROFILE } from "../../machines/task/profile.ts";
import type { ModelRef } from "../../machines/task/task.events.ts";
import type { ChatModel } from "../../ports/model.ts";
import type { TaskModels } from "../../runtime/options.ts";
import { CliError, KeyError } from "../error.ts";
import { hasMock, isRunProvider, type RunProvider } from "../providers.ts";
import { noKey, noModel } from "./missing.ts";
import { MockProvider } from "./mock-provider.ts";
import { keyless, openModel } from "./model.ts";
import type { Connection, ModelProfile, ModelSettings, RunModels } from "./settings.ts";

/** The models of a run. */
export interface OpenProvider {
  /** Its selector throws a CliError without any API key, and for a task of a provider that the command does not have. */
  readonly models: RunModels;
  close(): Promise<void>;
}

/**
 * Open the model provider. A resumed task keeps its model, provider and endpoint, but for those that are set.
 *
 * @throws CliError for an invalid script
 */
export function openProvider(settings: ModelSettings): OpenProvider {
  const mock = new MockProvider(settings.script);
  const named = [...settings.profiles, ...settings.known].map((each) => {
    const select = (recorded: ModelRef | undefined): ChatModel =>
      withProtocol(profileModel(each, recorded, settings, mock), [each]);
    // The script of a mock model depends on the task.
    return [each.name, each.provider === "mock" ? select : select(undefined)] as const;
  });
  const own = settings.profile === undefined ? [] : [settings.profile];
  return {
    models: {
      models: {
        default: (recorded) =>
          withProtocol(standardModel(recorded, settings, mock), [...own, ...settings.profiles]),
        name: standardName(settings),
        named: Object.fromEntries(named),
        byMode: settings.modeProfiles,
        fallbacks: fallbacksOf(settings),
        // The models that a person can select beside them are too many for each request.
        offered: settings.profiles.map(({ name }) => name),
      },
    },
    close: () => mock.close(),
  };
}

/** The model with the tool protocol of its profile: the first of these with its provider and its name. */
function withProtocol(model: ChatModel, profiles: readonly ModelProfile[]): ChatModel {
  const profile = profiles.find((each) => each.provider === model.provider && each.model === model.id);
  return profile?.toolProtocol === "xml" ? xmlTools(model) : model;
}

/** The name of the standard model. No profile of the settings has a name in parentheses. */
const standardName = ({ profiles }: ModelSettings): string =>
  profiles.some(({ name }) => name === DEFAULT_PROFILE) ? `(${DEFAULT_PROFILE})` : DEFAULT_PROFILE;

/** The profiles that replace others, by name. The standard model has the replacements of its profile. */
function fallbacksOf(settings: ModelSettings): NonNullable<TaskModels["fallbacks"]> {
  const named = settings.profiles.map(({ name, fallback = [] }) => [name, fallback] as const);
  return Object.fromEntries([...named, [standardName(settings), settings.profile?.fallback ?? []]]);
}

function standardModel(
  recorded: ModelRef | undefined,
  settings: ModelSettings,
  mock: MockProvider,
): ChatModel {
  const { profile, environment, settingsFile } = settings;
  const named = recorded === undefined || profile?.isExplicit === true ? profile : undefined;
  const provider = settings.provider ?? named?.provider ?? knownProvider(recorded);
  const applied = named?.provider === provider ? named : undefined;
  const id = settings.id ?? applied?.model ?? recordedId(recorded, provider) ?? defaultModel(provider);
  if (provider === "mock") return mock.model(id, recorded);
  if (settings.script !== undefined && !hasMock(settings.profiles))
    throw new CliError(
      `--script requires --provider mock, and the provider of the task is ${provider}. Add --provider mock.`,
    );
  const connection = connectionOf(provider, settings, applied, recorded);
  const model = openModel(provider, id, connection, settings);
  if (environment[provider].hasKey || connection.apiKey !== undefined) return model;
  // Without a key, the other profiles can be used.
  if (settings.profiles.every(({ problem }) => problem !== undefined))
    throw applied?.problem === undefined ? noKey(provider, settingsFile) : new KeyError(applied.problem);
  return keyless(model, applied?.problem ?? noKey(provider, settingsFile).message);
}

function profileModel(
  profile: ModelProfile,
  recorded: ModelRef | undefined,
  settings: ModelSettings,
  mock: MockProvider,
): ChatModel {
  const { provider, model: id, endpoint, headers, apiKey, keySource, problem } = profile;
  if (provider === "mock") return mock.model(id, recorded);
  const baseURL = endpoint ?? settings.environment[provider].baseURL;
  const model = openModel(provider, id, { baseURL, headers, apiKey, keySource }, settings);
  return problem === undefined ? model : keyless(model, problem);
}

/** Where the requests go, and what they carry. `applied`: the profile of the task. */
function connectionOf(
  provider: ProviderName,
  { profile, profiles, baseURL: given, environment, apiKey }: ModelSettings,
  applied: ModelProfile | undefined,
  recorded: ModelRef | undefined,
): Connection {
  const { baseURL: usual } = environment[provider];
  const configured =
    applied === undefined ? (usual ?? endpointOf(recorded, provider)) : (applied.endpoint ?? usual);
  const baseURL = given ?? configured;
  const known = [
    profile,
    ...profiles.filter(({ endpoint }) => endpoint !== undefined && given === undefined),
  ];
  const isOwn = (each: ModelProfile | undefined): boolean =>
    each?.provider === provider && isEndpoint(provider, each.endpoint ?? usual, baseURL);
  const credentials = applied ?? known.find(isOwn);
  return {
    baseURL,
    apiKey: apiKey ?? credentials?.apiKey,
    keySource: apiKey === undefined ? credentials?.keySource : "--api-key",
    headers: credentials?.headers,
  };
}

/** Whether two base URLs are one endpoint: the key of a profile is for no other. */
function isEndpoint(provider: ProviderName, one: string | undefined, other: string | undefined): boolean {
  const [first, second] = [one, other].map((url) =>
    (url ?? PROVIDERS[provider].publicApi ?? "").replace(/\/+$/, ""),
  );
  return first === second;
}

const endpointOf = (recorded: ModelRef | undefined, provider: ProviderName): string | undefined =>
  recorded?.provider === provider ? recorded.endpoint : undefined;

/** The model that the task had, for the same provider. The mock takes any name, and leaves the name of another. */
function recordedId(recorded: ModelRef | undefined, provider: RunProvider): string | undefined {
  const isKept = recorded?.provider === provider || [recorded?.provider, provider].includes("mock");
  return isKept ? recorded?.id : undefined;
}

function defaultModel(provider: RunProvider): string {
  if (provider === "anthropic" || provider === "mock") return DEFAULT_MODEL;
  throw noModel(provider);
}

function knownProvider(recorded: ModelRef | undefined): RunProvider {
  if (recorded === undefined) return "anthropic";
  const { provider, id } = recorded;
  if (isRunProvider(provider)) return provider;
  throw new CliError(
    `its model is ${id} of the provider ${provider}, which this command does not have. To continue with another: --provider anthropic --model NAME`,
  );
}
