import { fstatSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import { formatCliError } from "./error.ts";
import type { Output } from "./io.ts";

/** Codes of an output whose reader has gone away, as `| head` does. */
const GONE: ReadonlySet<string | undefined> = new Set([
  "EPIPE",
  "ECONNRESET",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
]);

/** The output of a process, and whether a part of it was lost. */
export class ProcessOutput {
  readonly stdout: Output;
  readonly stderr: Output;
  #isLost = false;
  #isTerminalGone = false;

  constructor(stdout: Output, stderr: Output) {
    this.stdout = isFile(1) ? new FileOutput(1) : stdout;
    this.stderr = stderr;
    this.stdout.on("error", (error: NodeJS.ErrnoException) => this.#noteError(error));
    // There is nobody to tell.
    this.stderr.on("error", () => {});
  }

  /** Resolves once the system has taken what was written: whether it took all of it, or its reader has gone away. */
  async flushed(): Promise<boolean> {
    await Promise.all([flush(this.stdout), flush(this.stderr)]);
    return !this.#isLost;
  }

  /** Whether the terminal of the output has gone away. */
  get isTerminalGone(): boolean {
    return this.#isTerminalGone;
  }

  #noteError({ code, message }: NodeJS.ErrnoException): void {
    if (code === "EIO" && this.stdout.isTTY === true) this.#isTerminalGone = true;
    if (this.#isLost || this.#isTerminalGone || GONE.has(code)) return;
    this.#isLost = true;
    this.stderr.write(
      formatCliError(
        `the output could not be written completely: ${message}. Free space, or write it elsewhere.`,
      ),
    );
  }
}

/** The output to a file. Node's own one ignores that the system may take only the first part of a text. */
class FileOutput extends Writable {
  readonly #fd: number;

  constructor(fd: number) {
    super({ decodeStrings: true });
    this.#fd = fd;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    try {
      for (let written = 0; written < chunk.length; )
        written += writeSync(this.#fd, chunk, written, chunk.length - written);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    done();
  }
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    // The descriptor is closed.
    return false;
  }
}

/** Resolves after the callbacks and the events of all writes. */
function flush(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) setImmediate(resolve);
    else stream.write("", () => setImmediate(resolve));
  });
}
