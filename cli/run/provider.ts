import { readFile } from "node:fs/promises";
import type { ChatModel } from "../../actors/index.ts";
import { anthropic } from "../../adapters/index.ts";
import { type MockScript, parseScript, startMock } from "../../testing/mock/index.ts";
import { CliError, errorMessage } from "../error.ts";
import type { Provider } from "./settings.ts";

/** An open model provider. */
export interface OpenProvider {
  readonly model: ChatModel;
  close(): Promise<void>;
}

/** @throws CliError for an invalid script */
export async function openProvider(provider: Provider, model: string): Promise<OpenProvider> {
  if (provider.kind === "anthropic") {
    return { model: anthropic({ model, ...provider }), close: async () => {} };
  }
  const mock = await startMock(await readScript(provider.script));
  return { model: anthropic({ model, baseURL: mock.url, apiKey: "mock" }), close: () => mock.close() };
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
