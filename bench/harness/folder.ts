import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** A folder for as long as `work` takes: on the disk of `SIGNALBOX_BENCH_DIR`, else of the system's temporary files. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(process.env.SIGNALBOX_BENCH_DIR ?? tmpdir(), "signalbox-bench-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
