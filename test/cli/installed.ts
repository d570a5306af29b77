import { mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, vi } from "vitest";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../testing/mock/server/server.ts";
import { type Built, build, buildAsPublished } from "./built.ts";
import { Process, temporaryFolder } from "./process.ts";

/** Only what hangs is over after this time: a test that starts ten processes on a busy machine takes minutes. */
const HANGS_MS = 600_000;

export interface ScriptOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Which of the package's programs. Default `bin`: `signalbox` itself. */
  readonly program?: "bin" | "roo";
  /** Default: a new one. */
  readonly workspace?: string;
}

/** A program on a script. */
export interface ScriptRun {
  readonly process: Process;
  /** `a.txt` in it has the line `one`. */
  readonly workspace: string;
  /** Its data folder, which lies in the workspace. */
  readonly data: string;
  readonly mock: MockServer;
  /** What the model was sent, as text. */
  readonly bodies: () => string;
}

/** The built package, and a folder for the tests of one file, which is gone after them. */
export class Installed {
  #built: Built | undefined;
  readonly #folder = temporaryFolder();

  get folder(): string {
    return this.#folder.path;
  }

  /** The root of the package. @throws outside of tests: it is made before them */
  get dir(): string {
    if (this.#built === undefined)
      throw new Error("Expected the package within a test: it is built before the tests run.");
    return this.#built.dir;
  }

  get bin(): string {
    return this.program("bin");
  }

  program(name: "bin" | "roo"): string {
    return path.join(this.dir, "dist/cli", `${name}.js`);
  }

  newFolder(): string {
    return mkdtempSync(path.join(this.folder, "work-"));
  }

  /** A command, begun. */
  signalbox(...args: readonly string[]): Process {
    return new Process(this.bin, args);
  }

  /** A command with no input, to its end. */
  async does(...args: readonly string[]) {
    const process = this.signalbox(...args);
    return { code: await process.end(), stdout: process.stdout, stderr: process.stderr };
  }

  /** `run` on a model that answers from a script, in a workspace of its own. */
  async onScript(script: string, args: readonly string[], options: ScriptOptions = {}): Promise<ScriptRun> {
    const { env, program = "bin", workspace = this.newFolder() } = options;
    const data = path.join(workspace, "data");
    writeFileSync(path.join(workspace, "a.txt"), "one\n");
    const mock = await startMock(parseScript(script));
    const where = ["-w", workspace, "--data-dir", data, "--base-url", mock.url];
    const process = new Process(this.program(program), ["run", ...where, ...args], {
      env: { ANTHROPIC_API_KEY: "sk-test-0123456789", ...env },
    });
    void process.code.then(() => mock.close());
    const bodies = (): string => JSON.stringify(mock.requests.map(({ body }) => body));
    return { process, workspace, data, mock, bodies };
  }

  async make(form: () => Promise<Built>): Promise<void> {
    this.#built = await form();
  }

  remove(): void {
    this.#folder.remove();
  }
}

/**
 * The package for the tests of the file that calls it, at its top: they have the time that starting processes takes.
 *
 * @param form `published`: the files that npm has, for tests that add to them, leave out a dependency, or load a module that imports
 * the package
 */
export function installed(form?: "published"): Installed {
  vi.setConfig({ testTimeout: HANGS_MS, hookTimeout: HANGS_MS });
  const made = new Installed();
  beforeAll(() => made.make(form === "published" ? buildAsPublished : build));
  afterAll(() => made.remove());
  return made;
}
