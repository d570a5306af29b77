import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { runsOn } from "../../cluster/node-version.ts";
import { ROOT } from "./root.ts";

const VERSION = "24.21.0";
const FOLDER = path.join(ROOT, `node_modules/.cache/node-${VERSION}`);

/**
 * The path of a Node that runs `@signalbox/cluster`: this one, or version 24 from npm, which is installed in a cache. Not
 * a dependency of the project: its program would take the place of `node` in each npm script.
 *
 * @throws Error if npm can't install it
 */
export async function node24(): Promise<string> {
  if (runsOn(process.versions.node)) return process.execPath;
  const program = path.join(FOLDER, "node_modules", packageName(), "bin/node");
  if (!existsSync(program)) await install();
  return program;
}

/** The package that the package `node` installs on this platform. */
function packageName(): string {
  const { platform, arch } = process;
  return `${platform === "darwin" && arch === "arm64" ? "node-bin" : "node"}-${platform}-${arch}`;
}

/** Another process may install it too: the folder is moved to its place when it is whole. */
async function install(): Promise<void> {
  const folder = `${FOLDER}-${process.pid}`;
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "package.json"), '{ "private": true }\n');
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    await promisify(execFile)("npm", [...args, `${packageName()}@${VERSION}`], { cwd: folder });
    await rename(folder, FOLDER).catch((error: unknown) => {
      if (!existsSync(FOLDER)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
