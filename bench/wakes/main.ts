/**
 * Measures pg-boss, and the wakes of `@signalbox/cluster` over it, with processes of Node 24: `npm run bench:wakes`. The
 * names of engines as arguments measure only these; `--write` renews docs/generated/wakes.txt.
 */
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
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
  const isWritten = process.argv.includes("--write");
  const engines = process.argv.slice(2).filter((argument) => argument !== "--write");
  const about = machine();
  const args = [path.join(folder, "measure.mjs"), path.join(folder, "worker.mjs"), ...engines];
  const { status, stdout } = spawnSync(node, args, {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  const text = `${about}\n\n${stdout}`;
  console.log(text);
  if (isWritten && status === 0) await writeFile(path.join(ROOT, "docs/generated/wakes.txt"), text);
  process.exitCode = status ?? 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
