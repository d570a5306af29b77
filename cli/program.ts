import { isatty } from "node:tty";
import { EXIT } from "./error.ts";
import type { Io } from "./io.ts";
import { main, type ProgramName } from "./main.ts";
import { ProcessOutput } from "./output.ts";

/** Run the command in this process, and exit with its code. Lost output is a failure. */
export async function startProcess(name: ProgramName): Promise<never> {
  const hasTerminal = isatty(0) || isatty(1);
  const output = new ProcessOutput(process.stdout, process.stderr);
  const io: Io = {
    // Opened where it is used.
    get stdin() {
      return process.stdin;
    },
    stdout: output.stdout,
    stderr: output.stderr,
    env: process.env,
    on: (signal, listener) => process.on(signal, listener),
    off: (signal, listener) => process.off(signal, listener),
  };
  const code = await main(process.argv.slice(2), io, name);
  const isWritten = await output.flushed();
  if (hasTerminal && (code === EXIT.hungUp || output.isTerminalGone)) endByHangUp();
  // A kept-alive connection or an open terminal must not keep the process running.
  process.exit(isWritten || code !== EXIT.done ? code : EXIT.failed);
}

/** End the process as a hangup does: Node's own exit fails where it can't reset a terminal that has gone away. */
function endByHangUp(): void {
  process.removeAllListeners("SIGHUP");
  process.kill(process.pid, "SIGHUP");
}
