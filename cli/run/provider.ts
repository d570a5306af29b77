import { readFile } from "node:fs/promises";
import type { ChatModel } from "../../actors/index.ts";
import { anthropic } from "../../adapters/index.ts";
import { type MockScript, parseScript, startMock } from "../../testing/mock/index.ts";
import { CliError, wordsOf } from "../error.ts";
import type { Provider } from "./settings.ts";

/** A model that can be asked, and how to let go of it. */
export interface OpenProvider {
  readonly model: ChatModel;
  close(): Promise<void>;
}

/** @throws CliError where there is no key, or a script that can't be used */
export async function openProvider(provider: Provider, model: string): Promise<OpenProvider> {
  if (provider.kind === "anthropic") {
    return { model: anthropic({ model, ...provider }), close: async () => {} };
  }
  const mock = await startMock(await readScript(provider.script));
  return { model: anthropic({ model, baseURL: mock.url, apiKey: "mock" }), close: () => mock.close() };
}

/** The script in this file, or one that says what a script is for. */
export async function readScript(file: string | undefined): Promise<MockScript> {
  if (file === undefined) return parseScript(BUILT_IN, "built-in script");
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new CliError(
      `the script can't be read: ${wordsOf(error)}. Give --script a file in JSON or YAML (docs/mock.md).`,
      { cause: error },
    );
  }
  try {
    return parseScript(text, file);
  } catch (error) {
    throw new CliError(`the script is wrong:\n${wordsOf(error)}`, { cause: error });
  }
}

const BUILT_IN = `
name: built-in
chunk: 8
delayMs: 10
rules:
  - turns:
      - blocks:
          - text: I am a script, not a model. I can show how a task runs, and no more.
          - tool: attempt_completion
            input:
              result: Give me a script of your own with --script FILE, or set ANTHROPIC_API_KEY and leave out --provider mock.
`;
