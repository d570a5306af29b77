import { readFile } from "node:fs/promises";
import type { ChatModel } from "../../actors/index.ts";
import { anthropic, DEFAULT_MODEL } from "../../adapters/index.ts";
import type { ModelRef } from "../../machines/task/index.ts";
import type { ModelSelector } from "../../runtime/index.ts";
import { type MockScript, type MockServer, parseScript, startMock } from "../../testing/mock/index.ts";
import { CliError, errorMessage } from "../error.ts";
import type { ModelSettings } from "./settings.ts";

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
      const provider = settings.provider ?? knownProvider(recorded);
      const id = settings.id ?? recorded?.id ?? DEFAULT_MODEL;
      if (provider === "mock") return mock.model(id);
      if (!settings.hasKey) throw noKey();
      const { apiKey, effort } = settings;
      return anthropic({ model: id, apiKey, effort, baseURL: settings.baseURL ?? endpointOf(recorded) });
    },
    close: () => mock.close(),
  };
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
