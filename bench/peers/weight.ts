import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { formatNumber, ROOT } from "../harness/index.ts";
import { type Installed, npm } from "./install.ts";
import { align } from "./report.ts";

/** The packages that are installed with a library, and their size. */
interface Weight {
  readonly packages: number;
  readonly bytes: number;
}

const LockFile = z.object({ packages: z.record(z.string(), z.unknown()) });
const Packed = z.array(z.object({ filename: z.string() }));

/** Format how many packages and bytes are installed with each library, and with the packed engine. */
export async function formatWeights(installed: ReadonlyMap<string, Installed>): Promise<string> {
  const rows = [row("signalbox", await ownWeight())];
  for (const [name, entry] of installed)
    if ("folder" in entry && entry.folder !== undefined) rows.push(row(name, await weightOf(entry.folder)));
  return align([["library", "packages", "MB"], ...rows]);
}

const row = (name: string, { packages, bytes }: Weight): readonly string[] => [
  name,
  String(packages),
  formatNumber(bytes / 1e6),
];

async function weightOf(folder: string): Promise<Weight> {
  const modules = path.join(folder, "node_modules");
  const lock = LockFile.parse(JSON.parse(await readFile(path.join(modules, ".package-lock.json"), "utf8")));
  const entries = await readdir(modules, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map((file) => stat(path.join(file.parentPath, file.name))));
  return {
    packages: Object.keys(lock.packages).length,
    bytes: sizes.reduce((sum, { size }) => sum + size, 0),
  };
}

/** Pack the engine and install it as a program would. */
async function ownWeight(): Promise<Weight> {
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-weight-"));
  try {
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
    const { stdout } = await promisify(execFile)("npm", args, { cwd: ROOT });
    const [packed] = Packed.parse(JSON.parse(stdout));
    await writeFile(path.join(folder, "package.json"), '{"private":true}\n');
    await npm(folder, "install", path.join(folder, packed?.filename ?? ""));
    return await weightOf(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
