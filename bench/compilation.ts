import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { ROOT } from "./harness/index.ts";

/** Inside the package, so that its dependencies are found. */
const CACHE = path.join(ROOT, "node_modules/.cache");

/**
 * Compile the sources and benches to a folder, run the program of this name there with the arguments of this process,
 * and remove the folder. So the figures include no TypeScript loader, and dist is not touched.
 *
 * @returns the exit code
 */
export async function runCompiled(program: string): Promise<number> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(path.join(CACHE, "signalbox-bench-"));
  try {
    await compileTo(folder, ROOT);
    const args = [path.join(folder, program), ...process.argv.slice(2)];
    return spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Compile the sources and benches under `root`, without a check of their types. @throws Error if they do not compile */
export async function compileTo(folder: string, root: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "package.json"), '{ "type": "module" }\n');
  const compiler = createRequire(import.meta.url).resolve("typescript/lib/tsc.js");
  const args = [compiler, "-p", path.join(root, "bench/tsconfig.json"), "--outDir", folder, "--noCheck"];
  // Compiler output goes to stderr: stdout has the table only.
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("The sources don't compile. See the compiler errors above.");
}
