/**
 * Measures pg-boss, and the wakes of `@signalbox/cluster` over it, with processes of Node 24: `npm run bench:wakes`. The
 * names of engines as arguments measure only these.
 */
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { WHOLE } from "../../esbuild.config.ts";
import { hasPostgres } from "../harness/cluster.ts";
import { machine } from "../harness/machine.ts";
import { node24 } from "../harness/node24.ts";
import { ROOT } from "../harness/root.ts";

const CACHE = path.join(ROOT, "node_modules/.cache");
const source = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

if (!hasPostgres) throw new Error("Expected PostgreSQL, found no initdb. Install it.");
const node = await node24();
await mkdir(CACHE, { recursive: true });
const folder = await mkdtemp(path.join(CACHE, "bench-wakes-"));
try {
  const entryPoints = ["./measure.ts", "./worker.ts"].map(source);
  const external = [...(WHOLE.external ?? []), "pg-boss"];
  await build({ ...WHOLE, external, entryPoints, outdir: folder, outExtension: { ".js": ".mjs" } });
  console.log(`${machine()}\n`);
  const args = [path.join(folder, "measure.mjs"), path.join(folder, "worker.mjs"), ...process.argv.slice(2)];
  process.exitCode = spawnSync(node, args, { stdio: "inherit" }).status ?? 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
