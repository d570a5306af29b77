import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** Run `work` with a temporary folder, in `SIGNALBOX_BENCH_DIR` if set, and remove it. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(process.env.SIGNALBOX_BENCH_DIR ?? tmpdir(), "signalbox-bench-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Create separate folders for the workspace and the data of a task. */
export async function createFolders(
  folder: string,
): Promise<{ readonly workspace: string; readonly dataDir: string }> {
  const workspace = path.join(folder, "workspace");
  await mkdir(workspace, { recursive: true });
  return { workspace, dataDir: path.join(folder, "data") };
}
