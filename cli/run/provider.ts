import { readFile } from "node:fs/promises";
import type { ChatModel } from "../../actors/index.ts";
import { type AnthropicOptions, anthropic, DEFAULT_MODEL, PUBLIC_API } from "../../adapters/index.ts";
import type { ModelRef } from "../../machines/task/index.ts";
import type { ModelSelector } from "../../runtime/index.ts";
import { type MockScript, type MockServer, parseScript, startMock } from "../../testing/mock/index.ts";
import { CliError, errorMessage } from "../error.ts";
import type { ModelProfile, ModelSettings } from "./settings.ts";

/** The models of a run. */
export interface OpenProvider {
  /** @throws CliError without an API key, and for a task of a provider that the command does not have */
  readonly model: ModelSelector;
  close(): Promise<void>;
}

/**
 * Open the model provider. A resumed task keeps its model, provider and endpoint, but for those that are set.
 *
 * @throws CliError for an invalid script
 */
export async function openProvider(settings: ModelSettings): Promise<OpenProvider> {
  const mock = new MockProvider(await readScript(settings.script));
  return {
    model: (recorded) => {
      const { profile, effort } = settings;
      const named = recorded === undefined || profile?.isExplicit === true ? profile : undefined;
      const provider = settings.provider ?? named?.provider ?? knownProvider(recorded);
      const applied = named?.provider === provider ? named : undefined;
      const id = settings.id ?? applied?.model ?? recorded?.id ?? DEFAULT_MODEL;
      if (provider === "mock") return mock.model(id);
      const connection = connectionOf(settings, applied, recorded);
      if (!settings.hasKey && connection.apiKey === undefined) throw noKey();
      return anthropic({ model: id, effort, ...connection });
    },
    close: () => mock.close(),
  };
}

/** Where the requests go, and what they carry. `applied`: the profile of the task. */
function connectionOf(
  { profile, baseURL: given, defaultBaseURL, apiKey }: ModelSettings,
  applied: ModelProfile | undefined,
  recorded: ModelRef | undefined,
): Pick<AnthropicOptions, "baseURL" | "apiKey" | "headers"> {
  const configured =
    applied === undefined ? (defaultBaseURL ?? endpointOf(recorded)) : (applied.endpoint ?? defaultBaseURL);
  const baseURL = given ?? configured;
  const credentials = applied ?? (isEndpointOf(profile, baseURL, defaultBaseURL) ? profile : undefined);
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

/** The error of a missing API key. */
export const noKey = (): CliError =>
  new CliError(
    [
      "no API key: set ANTHROPIC_API_KEY, or pass --api-key KEY.",
      "To try it without a key: signalbox run --provider mock PROMPT",
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
