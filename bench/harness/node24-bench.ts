import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { WHOLE } from "../../esbuild.config.ts";
import { hasPostgres } from "./cluster.ts";
import { node24 } from "./node24.ts";
import { ROOT } from "./root.ts";

const CACHE = path.join(ROOT, "node_modules/.cache");

/** A bench of `@signalbox/cluster`, which runs in processes of Node 24. */
export interface Node24Bench {
  /** The program that prints the figures once all are measured. Its first argument is the built worker. */
  readonly measure: string;
  readonly worker: string;
  /** The further arguments of the program. */
  readonly args: readonly string[];
  /** The generated file. */
  readonly output: string;
  /** Whether the figures are written to that file. */
  readonly isWritten: boolean;
}

/** Run a bench, print its figures and write them. The exit code is the one of its program. */
export async function benchInNode24({
  measure,
  worker,
  args,
  output,
  isWritten,
}: Node24Bench): Promise<void> {
  if (!hasPostgres) throw new Error("Expected PostgreSQL, found no initdb. Install it.");
  const node = await node24();
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(path.join(CACHE, "bench-"));
  const built = (file: string): string => path.join(folder, path.basename(file).replace(/\.ts$/, ".mjs"));
  try {
    await build({
      ...WHOLE,
      entryPoints: [measure, worker],
      outdir: folder,
      outExtension: { ".js": ".mjs" },
    });
    const { status, stdout } = spawnSync(node, [built(measure), built(worker), ...args], {
      stdio: ["ignore", "pipe", "inherit"],
      encoding: "utf8",
    });
    console.log(stdout);
    if (isWritten && stdout !== "") await writeFile(path.join(ROOT, output), stdout);
    process.exitCode = status ?? 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
