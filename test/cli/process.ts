import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A missing folder: a test must not depend on the rules and skills of who runs it. */
const NO_CONFIG = path.join(tmpdir(), "signalbox-no-config");

/** A running command of a test. */
export class Process {
  readonly child: ChildProcessWithoutNullStreams;
  /** The exit code, once it has ended and its output was read. */
  readonly code: Promise<number | null>;
  stdout = "";
  stderr = "";
  readonly #listeners = new Set<() => void>();
  #isOver = false;

  constructor(
    file: string,
    args: readonly string[],
    options: { cwd?: string; env?: NodeJS.ProcessEnv; program?: string } = {},
  ) {
    this.child = spawn(options.program ?? process.execPath, [file, ...args], {
      cwd: options.cwd,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NO_COLOR: "1",
        XDG_CONFIG_HOME: NO_CONFIG,
        ...options.env,
      },
    });
    // A character may be split between two chunks.
    this.child.stdout.setEncoding("utf8").on("data", (chunk) => this.#add("stdout", String(chunk)));
    this.child.stderr.setEncoding("utf8").on("data", (chunk) => this.#add("stderr", String(chunk)));
    // A process that has ended takes no more input.
    this.child.stdin.on("error", () => {});
    this.code = new Promise((resolve, reject) => {
      this.child.on("error", reject);
      this.child.on("close", (code) => {
        this.#isOver = true;
        for (const listener of this.#listeners) listener();
        resolve(code);
      });
    });
  }

  /** Resolves when this was said, `times` times, on either stream. */
  async said(text: string, times = 1): Promise<void> {
    const has = (): boolean => `${this.stdout}${this.stderr}`.split(text).length > times;
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (!has() && !this.#isOver) return;
        this.#listeners.delete(look);
        if (has()) resolve();
        else
          reject(new Error(`It ended and never said ${JSON.stringify(text)}:\n${this.stdout}${this.stderr}`));
      };
      this.#listeners.add(look);
      look();
    });
  }

  line(text: string): void {
    this.child.stdin.write(`${text}\n`);
  }

  /** Ends its input and waits for its end. */
  async end(): Promise<number | null> {
    this.child.stdin.end();
    return this.code;
  }

  #add(stream: "stdout" | "stderr", text: string): void {
    this[stream] += text;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** A folder for one test file. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
