import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Inside the package, so that its dependencies are found. */
const CACHE = path.join(ROOT, "node_modules/.cache");

/**
 * Compiles the sources and the benches as they are now, into a folder that is there for as long as `work` takes: so
 * that nothing of what turns TypeScript into JavaScript is in the figures, and no other build is touched.
 */
export async function withBuild<T>(work: (folder: string) => T): Promise<T> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(path.join(CACHE, "signalbox-bench-"));
  try {
    await writeFile(path.join(folder, "package.json"), '{ "type": "module" }\n');
    compile(folder);
    return work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function compile(folder: string): void {
  const compiler = createRequire(import.meta.url).resolve("typescript/lib/tsc.js");
  const args = [compiler, "-p", path.join(ROOT, "bench/tsconfig.json"), "--outDir", folder];
  // Its words go where errors go: the table alone is the output.
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("The sources can't be compiled: the compiler says why above.");
}
