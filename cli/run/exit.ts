import type { Host } from "../../runtime/index.ts";
import { EXIT, errorMessage, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
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
  const onTerminate = (): void => exit.leave(EXIT.terminated);
  io.on("SIGINT", onInterrupt);
  io.on("SIGTERM", onTerminate);
  return () => {
    io.off("SIGINT", onInterrupt);
    io.off("SIGTERM", onTerminate);
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
