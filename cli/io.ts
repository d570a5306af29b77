import type { Readable, Writable } from "node:stream";

/** The parts of the process that the command uses. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  on(signal: StopSignal | "SIGCONT", listener: () => void): unknown;
  off(signal: StopSignal | "SIGCONT", listener: () => void): unknown;
}

export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };
/** The signals that end a run: interrupt, termination, a terminal that closes, and `Ctrl-\`. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGQUIT";
