import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const VARIABLE = "SIGNALBOX_TEST_BUILDS";

/** Makes the folder of the programs that are built during a run of the tests; vitest calls it before and after all files. */
export function setup(): () => void {
  const dir = mkdtempSync(path.join(tmpdir(), "signalbox-builds-"));
  // Another user starts some of the programs.
  chmodSync(dir, 0o755);
  process.env[VARIABLE] = dir;
  return () => rmSync(dir, { recursive: true, force: true });
}

/** Makes a folder for a build. A module in it is found as one of the package, with the package's dependencies. */
export function newBuild(): string {
  const builds = process.env[VARIABLE];
  if (builds === undefined) throw new Error(`Expected ${VARIABLE}, which setup() of this module sets.`);
  const dir = mkdtempSync(path.join(builds, "build-"));
  chmodSync(dir, 0o755);
  // package.json marks the files as modules, and has the version that is sent to MCP servers.
  cpSync(path.join(ROOT, "package.json"), path.join(dir, "package.json"));
  symlinkSync(path.join(ROOT, "node_modules"), path.join(dir, "node_modules"));
  return dir;
}
