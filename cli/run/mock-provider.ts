import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { anthropic } from "../../adapters/anthropic/model.ts";
import type { ModelRef } from "../../machines/task/task.events.ts";
import type { ChatModel } from "../../ports/model.ts";
import type { MockScript } from "../../testing/mock/script/script.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../testing/mock/server/server.ts";
import { CliError, errorMessage } from "../error.ts";
import { decodeUserText } from "../text-file.ts";

/** A script, and what a task records as the endpoint of its models: its file with a digest. The built-in one has none. */
interface PlacedScript {
  readonly script: MockScript;
  readonly endpoint?: string;
}

/** Mock servers in this process, one for each script, started by the first request. */
export class MockProvider {
  /** The script of the command line. Undefined: each task has the one that it recorded, or the built-in one. */
  readonly #given: PlacedScript | undefined;
  readonly #recorded = new Map<string, PlacedScript>();
  readonly #servers = new Map<MockScript, Promise<MockServer>>();

  /** @throws CliError for an invalid script */
  constructor(file: string | undefined) {
    this.#given = file === undefined ? undefined : readPlaced(file);
  }

  /**
   * A model on the script of the command line; without one, on the script that a task recorded, or the built-in one.
   *
   * @throws CliError for a recorded script that can't be read any more
   */
  model(id: string, recorded: ModelRef | undefined): ChatModel {
    const { script, endpoint } = this.#given ?? this.#scriptOf(recorded);
    const open = async (): Promise<ChatModel> => {
      const server = this.#servers.get(script) ?? startMock(script);
      this.#servers.set(script, server);
      return anthropic({ model: id, baseURL: (await server).url, apiKey: "mock" });
    };
    let opened: Promise<ChatModel> | undefined;
    return {
      id,
      provider: "mock",
      endpoint,
      async *stream(request, signal) {
        opened ??= open();
        yield* (await opened).stream(request, signal);
      },
    };
  }

  #scriptOf(recorded: ModelRef | undefined): PlacedScript {
    const { provider, endpoint = "" } = recorded ?? {};
    const key = provider === "mock" && endpoint.startsWith("file:") ? endpoint : "";
    const placed =
      this.#recorded.get(key) ?? (key === "" ? { script: readScript(undefined) } : readRecorded(key));
    this.#recorded.set(key, placed);
    return placed;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map(async (server) => (await server).close()));
  }
}

/** Read the script in a file, or the built-in one. @throws CliError for an invalid script */
export const readScript = (file: string | undefined): MockScript =>
  file === undefined ? parseScript(BUILT_IN, "built-in script") : readPlaced(file).script;

function readRecorded(endpoint: string): PlacedScript {
  const url = new URL(endpoint);
  url.hash = "";
  try {
    return readPlaced(fileURLToPath(url));
  } catch (error) {
    throw new CliError(
      `the script of its mock model can't be used. ${errorMessage(error)} To continue with another: --script FILE`,
      { cause: error },
    );
  }
}

function readPlaced(file: string): PlacedScript {
  let bytes: Uint8Array;
  let text: string;
  try {
    bytes = readFileSync(file);
    text = decodeUserText(bytes, file);
  } catch (error) {
    throw new CliError(
      `can't read the script: ${errorMessage(error)}. Give --script a JSON or YAML file (docs/reference/mock.md).`,
      { cause: error },
    );
  }
  try {
    return { script: parseScript(text, file), endpoint: endpointOf(file, bytes) };
  } catch (error) {
    throw new CliError(`the script is invalid:\n${errorMessage(error)}`, { cause: error });
  }
}

/** Characters of a digest that tell one version of a script from another. */
const DIGEST_CHARS = 12;

/** The URL of a script with its digest: another version is another endpoint, so a task says that its model changed. */
function endpointOf(file: string, bytes: Uint8Array): string {
  const url = pathToFileURL(path.resolve(file));
  url.hash = `sha256=${createHash("sha256").update(bytes).digest("hex").slice(0, DIGEST_CHARS)}`;
  return url.href;
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
