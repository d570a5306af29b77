import { execFile } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { systemCode } from "../../../store/files/system-code.ts";

const run = promisify(execFile);
const BLOCK = Buffer.alloc(1024 * 1024);
const REST = Buffer.alloc(4096);

/** A file system of limited size, which can be filled. */
export class LimitedDisk {
  readonly folder: string;
  readonly #isMounted: boolean;

  private constructor(folder: string, isMounted: boolean) {
    this.folder = folder;
    this.#isMounted = isMounted;
  }

  static async mount(megabytes: number): Promise<LimitedDisk> {
    const folder = await mkdtemp(path.join(tmpdir(), "chaos-disk-"));
    const isMounted = await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder]).then(
      () => true,
      () => false,
    );
    await chmod(folder, 0o755);
    return new LimitedDisk(folder, isMounted);
  }

  /** Whether this user may mount a file system. Otherwise it is a folder without a limit. */
  get isLimited(): boolean {
    return this.#isMounted;
  }

  /** Use up the space that is left. */
  fill(): void {
    const file = openSync(this.#ballast, "w");
    try {
      for (const block of [BLOCK, REST]) while (this.#write(file, block));
    } finally {
      closeSync(file);
    }
  }

  /** Free the space again. */
  async empty(): Promise<void> {
    await rm(this.#ballast, { force: true });
  }

  async remove(): Promise<void> {
    if (this.#isMounted) await run("umount", ["-l", this.folder]);
    await rm(this.folder, { recursive: true, force: true });
  }

  get #ballast(): string {
    return path.join(this.folder, "ballast");
  }

  #write(file: number, block: Buffer): boolean {
    try {
      writeSync(file, block);
      return true;
    } catch (error) {
      if (systemCode(error) === "ENOSPC") return false;
      throw error;
    }
  }
}
