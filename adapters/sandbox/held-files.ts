import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { SandboxError } from "./error.ts";

/** Opens a file of any kind without access to its content. Node.js has no name for it. */
const O_PATH = 0o10000000;

/** The number of the first descriptor of a process after its streams. */
const FIRST = 3;

/**
 * Files that are held open until a process has started with them: a command that runs can replace a path by a link, but not the
 * file that was opened.
 */
export class HeldFiles {
  /** The descriptors in this process, in the order in which the started one inherits them after its streams. */
  readonly descriptors: number[] = [];

  /** Open a real path. Returns its descriptor in the started process. @throws SandboxError `SANDBOX_LINK` if a link is on the way */
  hold(file: string): number {
    const descriptor = openSync(file, O_PATH | constants.O_NOFOLLOW);
    this.descriptors.push(descriptor);
    const isReached = readlinkSync(`/proc/self/fd/${descriptor}`) === file;
    if (isReached && !fstatSync(descriptor).isSymbolicLink()) return FIRST + this.descriptors.length - 1;
    throw new SandboxError(
      "SANDBOX_LINK",
      `Expected '${file}' without symbolic links, but another command has replaced a part of it. Stop that command, and try again.`,
    );
  }

  /** Create a file that the started process appends to. Returns its descriptor there. */
  append(file: string): number {
    this.descriptors.push(openSync(file, "a", 0o600));
    return FIRST + this.descriptors.length - 1;
  }

  close(): void {
    for (const descriptor of this.descriptors.splice(0)) closeSync(descriptor);
  }
}
