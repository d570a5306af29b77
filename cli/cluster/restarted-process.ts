import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { systemClock } from "../../actors/protocol/edge.ts";
import type { Clock } from "../../ports/clock.ts";

/** The first delay before a process is started again, in ms. It doubles with each end. */
const DELAY_MIN_MS = 1_000;
const DELAY_MAX_MS = 30_000;
/** Time after which a process that has run is started again after the first delay, in ms. */
const STEADY_MS = 60_000;

/** Options of a {@link RestartedProcess}. */
export interface RestartedProcessOptions {
  readonly name: string;
  readonly start: () => ChildProcess;
  /** Called with each line of its output. */
  readonly onLine: (line: string) => void;
  /** Called with a sentence when it has ended and is started again. */
  readonly onRestart: (sentence: string) => void;
  /** The signal that asks it to end. Default `SIGTERM`. */
  readonly stopSignal?: NodeJS.Signals;
  /** The clock; pass another one in tests. */
  readonly clock?: Clock;
}

type Phase =
  | { readonly type: "running"; readonly child: ChildProcess; readonly since: number }
  | { readonly type: "waiting"; readonly cancel: () => void }
  | { readonly type: "ended" };

/** A child process that is started again when it ends, after a delay that grows, until it is stopped. */
export class RestartedProcess {
  readonly #options: RestartedProcessOptions;
  readonly #clock: Clock;
  readonly #ended: Promise<void>;
  #end: () => void = () => {};
  #phase: Phase = { type: "ended" };
  #isStopping = false;
  #delayMs = 0;

  constructor(options: RestartedProcessOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#start();
  }

  /** Ask it to end. It is no longer started again. Resolves when it has ended. */
  stop(signal: NodeJS.Signals = this.#options.stopSignal ?? "SIGTERM"): Promise<void> {
    this.#isStopping = true;
    if (this.#phase.type === "running") this.#phase.child.kill(signal);
    else {
      if (this.#phase.type === "waiting") this.#phase.cancel();
      this.#toEnded();
    }
    return this.#ended;
  }

  #start(): void {
    const child = this.#options.start();
    this.#phase = { type: "running", child, since: this.#clock.now() };
    for (const stream of [child.stdout, child.stderr]) if (stream !== null) this.#readLines(stream);
    child.on("error", (error) => {
      // Without a process id, it was not started.
      if (child.pid === undefined) this.#afterEnd(child, error.message);
    });
    child.once("exit", (code, signal) => this.#afterEnd(child, signal ?? `exit code ${code}`));
  }

  #readLines(input: Readable): void {
    createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on("line", this.#options.onLine);
  }

  #afterEnd(child: ChildProcess, reason: string): void {
    if (this.#phase.type !== "running" || this.#phase.child !== child) return;
    if (this.#isStopping) {
      this.#toEnded();
      return;
    }
    const wasSteady = this.#clock.now() - this.#phase.since >= STEADY_MS;
    this.#delayMs =
      wasSteady || this.#delayMs === 0 ? DELAY_MIN_MS : Math.min(2 * this.#delayMs, DELAY_MAX_MS);
    this.#options.onRestart(
      `${this.#options.name} ended (${reason}). It is started again in ${this.#delayMs / 1_000} s.`,
    );
    this.#phase = { type: "waiting", cancel: this.#clock.after(this.#delayMs, () => this.#start()) };
  }

  #toEnded(): void {
    this.#phase = { type: "ended" };
    this.#end();
  }
}
