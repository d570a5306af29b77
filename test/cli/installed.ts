import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, vi } from "vitest";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../testing/mock/server/server.ts";
import { type Built, build } from "./built.ts";
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
    return path.join(this.dir, "cli/dist", `${name}.js`);
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

  /** The path of the command in a copy that is installed without some packages: a scope, as `@ai-sdk`, or a name. */
  without(left: string): string {
    const dir = this.newFolder();
    for (const part of ["dist", "cli", "package.json"])
      cpSync(path.join(this.dir, part), path.join(dir, part), { recursive: true });
    const modules = path.join(this.dir, "node_modules");
    mkdirSync(path.join(dir, "node_modules"));
    for (const name of readdirSync(modules).filter((each) => each !== left))
      symlinkSync(path.join(modules, name), path.join(dir, "node_modules", name));
    return path.join(dir, "cli/dist/bin.js");
  }

  async make(): Promise<void> {
    this.#built = await build();
  }

  remove(): void {
    this.#folder.remove();
  }
}

/** The package for the tests of the file that calls it, at its top: they have the time that starting processes takes. */
export function installed(): Installed {
  vi.setConfig({ testTimeout: HANGS_MS, hookTimeout: HANGS_MS });
  const made = new Installed();
  beforeAll(() => made.make());
  afterAll(() => made.remove());
  return made;
}
