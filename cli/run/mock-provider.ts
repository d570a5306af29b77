import { anthropic } from "../../adapters/anthropic/model.ts";
import type { ChatModel } from "../../ports/model.ts";
import type { MockScript } from "../../testing/mock/script/script.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../testing/mock/server/server.ts";
import { CliError, errorMessage } from "../error.ts";
import { readUserText } from "../text-file.ts";

/** A mock server in this process, started by the first request. */
export class MockProvider {
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
    text = await readUserText(file);
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
