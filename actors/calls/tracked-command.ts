import type { Clock } from "../../ports/clock.ts";
import type { CommandReport, CommandWait } from "../../ports/commands.ts";
import { waitUntil } from "../protocol/wait-until.ts";
import { OutputTail } from "./output-tail.ts";

type End = NonNullable<CommandReport["end"]>;

export interface TrackedCommandOptions {
  readonly clock: Clock;
  /** The command line. */
  readonly command: string;
  /** Maximum characters of output that are kept. */
  readonly outputChars: number;
  /** Called when output is read. */
  readonly onRead: () => void;
}

/** Minimum time between two searches of one wait, in milliseconds. */
const SEARCH_FRAME_MS = 50;
/** Longest match that is found wherever its output was split, in characters. */
const MATCH_MAX_CHARS = 8_192;

/** A command whose output can be read while it runs, each part once. */
export class TrackedCommand {
  readonly #options: TrackedCommandOptions;
  readonly #output: OutputTail;
  readonly #stop = new AbortController();
  /** Callbacks that wake the waits. */
  readonly #waits = new Set<() => void>();
  #read = 0;
  #end: End | undefined;

  constructor(options: TrackedCommandOptions) {
    this.#options = options;
    this.#output = new OutputTail(options.outputChars);
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** The command line. */
  get command(): string {
    return this.#options.command;
  }

  /** Whether it has ended and left a process behind that still runs. */
  get hasLeft(): boolean {
    return this.#end?.left?.isAlive() === true;
  }

  /** Aborts when the command is to be terminated. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  add(text: string): void {
    this.#output.add(text);
    this.#wake();
  }

  end(end: End): void {
    this.#end = end;
    this.#wake();
  }

  stop(): void {
    this.#end?.left?.stop();
    this.#stop.abort();
  }

  /** Resolves at the end of the command or of the wait, whichever is first. Rejects only if `matches` throws. */
  read({ timeoutMs, matches, signal }: CommandWait): Promise<CommandReport> {
    const { clock } = this.#options;
    const search = matches === undefined ? () => false : this.#searchFor(matches);
    return new Promise((resolve, reject) => {
      const cancels: (() => void)[] = [];
      const close = (): void => {
        for (const cancel of cancels.splice(0)) cancel();
      };
      const look = (isLast: boolean): void => {
        try {
          const isMatched = search();
          if (!isMatched && !isLast && !this.hasEnded) return;
          close();
          resolve(this.#report(isMatched));
        } catch (error) {
          close();
          reject(error);
        }
      };
      let cancelLook: (() => void) | undefined;
      const wake = (): void => {
        if (this.hasEnded) look(true);
        else if (matches !== undefined)
          cancelLook ??= clock.after(SEARCH_FRAME_MS, () => {
            cancelLook = undefined;
            look(false);
          });
      };
      const stop = (): void => look(true);
      this.#waits.add(wake);
      signal.addEventListener("abort", stop, { once: true });
      cancels.push(
        () => this.#waits.delete(wake),
        () => signal.removeEventListener("abort", stop),
        () => cancelLook?.(),
      );
      if (timeoutMs > 0) cancels.push(waitUntil(clock, clock.now() + timeoutMs, stop));
      look(timeoutMs <= 0 || signal.aborted);
    });
  }

  /** Looks at each part of the unread output once, but for what a match may begin with. */
  #searchFor(matches: (output: string) => boolean): () => boolean {
    const first = this.#read;
    let searched = first;
    return () => {
      if (this.#output.end === searched) return false;
      const text = this.#output.fromLine(Math.max(first, searched - MATCH_MAX_CHARS));
      searched = this.#output.end;
      return matches(text);
    };
  }

  #report(isMatched: boolean): CommandReport {
    const { text, cutChars } = this.#output.from(this.#read);
    this.#read = this.#output.end;
    this.#options.onRead();
    return {
      command: this.#options.command,
      output: text.toWellFormed(),
      cutChars,
      isMatched,
      ...(this.#end !== undefined && { end: this.#end }),
    };
  }

  #wake(): void {
    for (const wake of this.#waits) wake();
  }
}
