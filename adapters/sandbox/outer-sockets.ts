import { lstatSync, readFileSync, rmSync } from "node:fs";
import { type Access, accessTo } from "./accesses.ts";

/**
 * The sockets of other programs in folders that commands see. Without a network they could still be connected to: a socket
 * with a path is a file, and one that can only be read can be connected to. Other programs may remove them at any time.
 */
export class OuterSockets {
  /** Their paths when they were listed. */
  readonly files: readonly string[];
  readonly #accesses: readonly Access[];

  constructor(accesses: readonly Access[]) {
    this.#accesses = accesses;
    this.files = [...new Set(pathsIn(readFileSync("/proc/net/unix", "utf8")))].filter(
      (file) => ["read", "write"].includes(accessTo(accesses, file)) && isSocket(file),
    );
  }

  /** Whether one of them is gone. */
  haveVanished(): boolean {
    return !this.files.every(isSocket);
  }

  /** Bubblewrap creates an empty file in place of one that vanishes from a folder that can be written. Remove such files. */
  removeMountPoints(): void {
    for (const file of this.files)
      if (accessTo(this.#accesses, file) === "write" && isMountPoint(file)) rmSync(file, { force: true });
  }
}

/** A socket, and not another file that replaced it. */
const isSocket = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isSocket() === true;

/** The mode with which Bubblewrap creates a file to mount another one on. */
const MOUNT_POINT_MODE = 0o444;

function isMountPoint(file: string): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size === 0 && (stat.mode & 0o777) === MOUNT_POINT_MODE;
}

/** The last column of the table is the path. An abstract name begins with `@`, and is in the network's namespace. */
const pathsIn = (table: string): readonly string[] =>
  table.split("\n").flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
