import type { Host } from "../../runtime/host.ts";
import { EXIT, errorMessage, formatCliError } from "../error.ts";
import type { Io, StopSignal } from "../io.ts";
import type { Leave } from "./settings.ts";

/** The exit code of a run, once it is set. */
export class Exit {
  readonly code: Promise<number>;
  #isSet = false;
  #resolve: (code: number) => void = () => {};

  constructor() {
    this.code = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isSet(): boolean {
    return this.#isSet;
  }

  readonly leave: Leave = (code) => {
    this.#isSet = true;
    this.#resolve(code);
  };
}

/**
 * End the run on a signal; a second interrupt ends the process at once. Returns a function that stops listening.
 *
 * @param interrupt called at the first SIGINT. Default: ends the run
 */
export function listenToSignals(
  io: Io,
  exit: Exit,
  interrupt: () => void = () => exit.leave(EXIT.interrupted),
): () => void {
  const onInterrupt = (): void => {
    // The tasks are being closed, and the user doesn't want to wait for them.
    if (exit.isSet) process.exit(EXIT.interrupted);
    interrupt();
  };
  return listen(io, (signal) => (signal === "SIGINT" ? onInterrupt() : exit.leave(SIGNAL_CODES[signal])));
}

/**
 * End the run on the first signal, and the process on a second one. Returns the exit code of the first signal, and a
 * function that stops listening.
 */
export function endOnSignal(io: Io, exit: Exit): { readonly code: Promise<number>; unlisten(): void } {
  const signaled = new Exit();
  const unlisten = listen(io, (signal) => {
    const code = SIGNAL_CODES[signal];
    if (signaled.isSet) process.exit(code);
    signaled.leave(code);
    exit.leave(code);
  });
  return { code: signaled.code, unlisten };
}

const SIGNAL_CODES = {
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
  SIGHUP: EXIT.hungUp,
  SIGQUIT: EXIT.quit,
} as const satisfies Record<StopSignal, number>;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const satisfies readonly StopSignal[];

/** Listen to each signal that ends a run: by default a signal ends the process, and its commands live on. */
function listen(io: Io, take: (signal: StopSignal) => void): () => void {
  const listeners = SIGNALS.map((signal) => [signal, () => take(signal)] as const);
  for (const [signal, listener] of listeners) io.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) io.off(signal, listener);
  };
}

/**
 * Close the host, or only the task `taskId`. Returns false, and reports the error, if a journal could not be written.
 */
export async function closeHost(host: Host, io: Io, taskId?: string): Promise<boolean> {
  try {
    await (taskId === undefined ? host.closeAll() : host.close(taskId));
    return true;
  } catch (error) {
    io.stderr.write(formatCliError(`the journal could not be written completely: ${errorMessage(error)}`));
    return false;
  }
}
