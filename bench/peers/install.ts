import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { ROOT } from "../harness/index.ts";
import type { Peer } from "./peer.ts";

/** The module in a peer's folder that imports packages from there. */
export const IMPORTER = "import.js";

/** A peer in its folder, or why it isn't there. */
export type Installed =
  | { readonly folder: string | undefined; readonly versions: string; readonly note: string }
  | { readonly reason: string };

const Manifest = z.object({ dependencies: z.record(z.string(), z.string()) });
const Package = z.object({
  version: z.string(),
  engines: z.object({ node: z.string().optional() }).optional(),
});

const CACHE = path.join(ROOT, "node_modules/.cache/peers");

/** Install a peer in the cache, if it isn't there yet. */
export async function install(peer: Peer): Promise<Installed> {
  if (peer.packages.length === 0) return { folder: undefined, versions: ownVersions(peer), note: "" };
  const versions = pinned(peer);
  const folder = path.join(CACHE, peer.name.replaceAll(/[^\w]+/g, "-"));
  const manifest = `${JSON.stringify({ private: true, type: "module", dependencies: versions }, null, 2)}\n`;
  const present = await readFile(path.join(folder, "package.json"), "utf8").catch(() => "");
  try {
    if (present !== manifest) await installAnew(folder, manifest);
    return { folder, versions: formatVersions(versions), note: await enginesNote(folder, peer) };
  } catch (error) {
    return { reason: `${formatVersions(versions)} doesn't install: ${reasonOf(error)}` };
  }
}

/** The manifest is written at the end with this name, so that an interrupted installation isn't taken for a whole one. */
async function installAnew(folder: string, manifest: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, IMPORTER), "export default (name) => import(name);\n");
  await writeFile(path.join(folder, "package.json"), manifest);
  try {
    await npm(folder, "install");
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Run npm in a folder. No script of a package runs. */
export async function npm(folder: string, ...command: readonly string[]): Promise<void> {
  const args = [...command, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await promisify(execFile)("npm", args, { cwd: folder, shell: process.platform === "win32" });
}

function pinned({ packages, versions = {} }: Peer): Readonly<Record<string, string>> {
  const { dependencies } = Manifest.parse(readJson(path.join(ROOT, "bench/peers/package.json")));
  return Object.fromEntries(
    packages.map((name) => {
      const version = versions[name] ?? dependencies[name];
      if (version === undefined) throw new Error(`bench/peers/package.json has no version of ${name}.`);
      return [name, version];
    }),
  );
}

function ownVersions({ imports }: Peer): string {
  return imports
    .map((name) => {
      const folder = name === "signalbox" ? ROOT : path.join(ROOT, "node_modules", name);
      return `${name} ${Package.parse(readJson(path.join(folder, "package.json"))).version}`;
    })
    .join(", ");
}

const formatVersions = (versions: Readonly<Record<string, string>>): string =>
  Object.entries(versions)
    .filter(([name]) => name !== "zod")
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");

/** Whether the peer asks for a newer Node.js than this one. */
async function enginesNote(folder: string, { packages }: Peer): Promise<string> {
  for (const name of packages) {
    const { engines } = Package.parse(readJson(path.join(folder, "node_modules", name, "package.json")));
    const [, major] = /^>=\s*(\d+)/.exec(engines?.node ?? "") ?? [];
    if (Number(major) > Number(process.versions.node.split(".", 1)[0]))
      return `asks for Node.js ${engines?.node}`;
  }
  return "";
}

/** The cause in npm's output: a package that isn't there, else the first line. */
function reasonOf(error: unknown): string {
  const output = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  const missing = /'([^']+)' (?:could not be found|is not in this registry)/.exec(output)?.[1];
  if (missing !== undefined) return `npm has no ${missing}`;
  return (output.trim().split("\n")[0] ?? "").replace(/^npm (?:error|ERR!) /, "");
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
