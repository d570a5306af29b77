import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";

/** Delay before a process that ended is started again, in ms. */
const RESTART_MS = 500;

export interface SupervisedOptions {
  /** The program and its arguments, for Node. */
  readonly args: readonly string[];
  /** The file that its errors are appended to. */
  readonly errors: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Called with each output. */
  readonly onOutput?: (text: string) => void;
}

/** A process that is started again when it ends, as a service manager does. */
export class Supervised {
  readonly #options: SupervisedOptions;
  #child: ChildProcess | undefined;
  #isEnded = false;
  #restart: NodeJS.Timeout | undefined;
  /** Times that it was started. */
  starts = 0;

  constructor(options: SupervisedOptions) {
    this.#options = options;
    this.#start();
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    this.#child?.kill(signal);
  }

  /** End it, and do not start it again. Returns its exit code; null if a signal ended it. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
    this.#isEnded = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (child === undefined) return null;
    const exited = once(child, "exit");
    child.kill("SIGCONT");
    child.kill(signal);
    await exited;
    return child.exitCode;
  }

  #start(): void {
    const { args, errors, env, onOutput = () => {} } = this.#options;
    const file = openSync(errors, "a");
    const child = spawn(process.execPath, [...args], {
      stdio: ["ignore", "pipe", file],
      env: env ?? process.env,
    });
    closeSync(file);
    child.stdout?.setEncoding("utf8").on("data", onOutput);
    this.#child = child;
    this.starts += 1;
    child.once("exit", () => {
      this.#child = undefined;
      if (!this.#isEnded) this.#restart = setTimeout(() => this.#start(), RESTART_MS);
    });
  }
}
