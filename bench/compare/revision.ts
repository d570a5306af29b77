import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { compileTo } from "../compilation.ts";
import { ROOT } from "../harness/index.ts";

/** Run `work` with the compiled entry of the children of a commit's benches, and remove what was compiled. */
export async function withCompiled<T>(revision: string, work: (entry: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-compared-"));
  try {
    await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
    const sources = path.join(folder, "sources");
    await mkdir(sources);
    extract(revision, sources);
    // Below the sources: benches look for their files from there.
    const compiled = path.join(sources, "compiled");
    await compileTo(compiled, sources);
    return await work(path.join(compiled, "bench/child.js"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Extract the files of a commit. @throws Error if there is no such commit */
function extract(revision: string, folder: string): void {
  const archive = spawnSync("git", ["archive", "--format=tar", revision], {
    cwd: ROOT,
    maxBuffer: 2 ** 30,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (archive.status !== 0)
    throw new Error(`Expected a commit to compare with, got "${revision}": ${String(archive.stderr).trim()}`);
  const unpacked = spawnSync("tar", ["-x", "-C", folder], { input: archive.stdout });
  if (unpacked.status !== 0) throw new Error(`tar failed: ${String(unpacked.stderr).trim()}`);
}
