import { readFile } from "node:fs/promises";
import { type ChatModel, ModelError } from "../../actors/index.ts";
import { type AnthropicOptions, anthropic, DEFAULT_MODEL, PUBLIC_API } from "../../adapters/index.ts";
import { DEFAULT_PROFILE, type ModelRef } from "../../machines/task/index.ts";
import { type MockScript, type MockServer, parseScript, startMock } from "../../testing/mock/index.ts";
import { CliError, errorMessage } from "../error.ts";
import type { ModelProfile, ModelSettings, RunModels } from "./settings.ts";

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
export async function openProvider(settings: ModelSettings): Promise<OpenProvider> {
  const mock = new MockProvider(await readScript(settings.script));
  const profiles = settings.profiles.map((each) => [each.name, profileModel(each, settings, mock)] as const);
  return {
    models: {
      model: (recorded) => standardModel(recorded, settings, mock),
      profiles: Object.fromEntries(profiles),
      profile: standardName(settings),
      modeProfiles: settings.modeProfiles,
    },
    close: () => mock.close(),
  };
}

/** The name of the standard model. No profile of the settings has a name in parentheses. */
const standardName = ({ profiles }: ModelSettings): string =>
  profiles.some(({ name }) => name === DEFAULT_PROFILE) ? `(${DEFAULT_PROFILE})` : DEFAULT_PROFILE;

function standardModel(
  recorded: ModelRef | undefined,
  settings: ModelSettings,
  mock: MockProvider,
): ChatModel {
  const { profile, effort } = settings;
  const named = recorded === undefined || profile?.isExplicit === true ? profile : undefined;
  const provider = settings.provider ?? named?.provider ?? knownProvider(recorded);
  const applied = named?.provider === provider ? named : undefined;
  const id = settings.id ?? applied?.model ?? recorded?.id ?? DEFAULT_MODEL;
  if (provider === "mock") return mock.model(id);
  const connection = connectionOf(settings, applied, recorded);
  const model = anthropic({ model: id, effort, ...connection });
  if (settings.hasKey || connection.apiKey !== undefined) return model;
  // Without a key, the other profiles can be used.
  if (settings.profiles.every(({ problem }) => problem !== undefined)) throw noKey(settings.settingsFile);
  return keyless(model, applied?.problem ?? noKey(settings.settingsFile).message);
}

function profileModel(profile: ModelProfile, settings: ModelSettings, mock: MockProvider): ChatModel {
  const { provider, model: id, endpoint, headers, apiKey, problem } = profile;
  if (provider === "mock") return mock.model(id);
  const baseURL = endpoint ?? settings.defaultBaseURL;
  const model = anthropic({ model: id, effort: settings.effort, baseURL, headers, apiKey });
  return problem === undefined ? model : keyless(model, problem);
}

/** A model whose requests fail with the reason why there is no key for it. */
function keyless({ id, provider, endpoint, contextWindow }: ChatModel, problem: string): ChatModel {
  return {
    id,
    ...(provider !== undefined && { provider }),
    endpoint,
    contextWindow,
    // biome-ignore lint/correctness/useYield: it fails before its first event.
    async *stream() {
      throw new ModelError("no_api_key", problem, { retryable: false });
    },
  };
}

/** Where the requests go, and what they carry. `applied`: the profile of the task. */
function connectionOf(
  { profile, profiles, baseURL: given, defaultBaseURL, apiKey }: ModelSettings,
  applied: ModelProfile | undefined,
  recorded: ModelRef | undefined,
): Pick<AnthropicOptions, "baseURL" | "apiKey" | "headers"> {
  const configured =
    applied === undefined ? (defaultBaseURL ?? endpointOf(recorded)) : (applied.endpoint ?? defaultBaseURL);
  const baseURL = given ?? configured;
  const known = [
    profile,
    ...profiles.filter(({ endpoint }) => endpoint !== undefined && given === undefined),
  ];
  const credentials = applied ?? known.find((each) => isEndpointOf(each, baseURL, defaultBaseURL));
  return { baseURL, apiKey: apiKey ?? credentials?.apiKey, headers: credentials?.headers };
}

/** Whether the requests of a resumed task go to the endpoint of the profile: its key is for no other. */
function isEndpointOf(
  profile: ModelProfile | undefined,
  baseURL: string | undefined,
  defaultBaseURL: string | undefined,
): boolean {
  if (profile?.provider !== "anthropic") return false;
  const endpoints = [profile.endpoint ?? defaultBaseURL, baseURL].map((url) =>
    (url ?? PUBLIC_API).replace(/\/+$/, ""),
  );
  return endpoints[0] === endpoints[1];
}

/** The endpoint of a mock ends with its process. */
const endpointOf = (recorded: ModelRef | undefined): string | undefined =>
  recorded?.provider === "anthropic" ? recorded.endpoint : undefined;

function knownProvider(recorded: ModelRef | undefined): "anthropic" | "mock" {
  if (recorded === undefined) return "anthropic";
  const { provider, id } = recorded;
  if (provider === "anthropic" || provider === "mock") return provider;
  throw new CliError(
    `its model is ${id} of the provider ${provider}, which this command does not have. To continue with another: --provider anthropic --model NAME`,
  );
}

/** The error of a missing API key. @param settingsFile that of the user */
export const noKey = (settingsFile: string): CliError =>
  new CliError(
    [
      "no API key: set ANTHROPIC_API_KEY, or pass --api-key KEY. One of:",
      "  export ANTHROPIC_API_KEY=sk-ant-...     the key of the provider anthropic",
      "  export ANTHROPIC_AUTH_TOKEN=...         instead of it: a token, as of a proxy",
      "  export ANTHROPIC_BASE_URL=https://...   with either: another endpoint of the Messages API",
      `Or name a variable of your own in ${settingsFile}:`,
      "  version: 1",
      "  profiles: { work: { provider: anthropic, model: claude-sonnet-4-6, keyVariable: WORK_KEY } }",
      "  profile: work",
      'To try it without a key: signalbox run --provider mock "Hello", or npm start in the repository.',
    ].join("\n"),
  );

/** A mock server in this process, started by the first request. */
class MockProvider {
  readonly #script: MockScript;
  #server: Promise<MockServer> | undefined;

  constructor(script: MockScript) {
    this.#script = script;
  }

  model(id: string): ChatModel {
    const open = async (): Promise<ChatModel> => {
      this.#server ??= startMock(this.#script);
      return anthropic({ model: id, baseURL: (await this.#server).url, apiKey: "mock" });
    };
    let opened: Promise<ChatModel> | undefined;
    return {
      id,
      provider: "mock",
      async *stream(request, signal) {
        opened ??= open();
        yield* (await opened).stream(request, signal);
      },
    };
  }

  async close(): Promise<void> {
    await (await this.#server)?.close();
  }
}

/** Read the script in a file, or the built-in one. @throws CliError for an invalid script */
export async function readScript(file: string | undefined): Promise<MockScript> {
  if (file === undefined) return parseScript(BUILT_IN, "built-in script");
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new CliError(
      `can't read the script: ${errorMessage(error)}. Give --script a JSON or YAML file (docs/reference/mock.md).`,
      { cause: error },
    );
  }
  try {
    return parseScript(text, file);
  } catch (error) {
    throw new CliError(`the script is invalid:\n${errorMessage(error)}`, { cause: error });
  }
}

const BUILT_IN = `
name: built-in
chunk: 8
delayMs: 10
rules:
  - turns:
      - blocks:
          - text: This is a scripted response, not a model. It only shows how a task runs.
          - tool: attempt_completion
            input:
              result: Pass your own script with --script FILE, or set ANTHROPIC_API_KEY and leave out --provider mock.
`;
