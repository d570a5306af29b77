import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../../esbuild.config.ts";
import { write } from "./transpiled.ts";

const REPOSITORY = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const EXAMPLES = path.join(REPOSITORY, "examples");

/** The package as it is installed, made from the source as it is now. */
export interface Built {
  readonly dir: string;
  readonly bin: string;
  remove(): void;
}

/**
 * Bundles the package to a folder of its own, with its examples: a process starts much faster from it than from the source,
 * and an old build can't be tested by mistake.
 */
export async function build(): Promise<Built> {
  const dir = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
  await bundle(path.join(dir, "dist"));
  cpSync(path.join(REPOSITORY, "package.json"), path.join(dir, "package.json"));
  cpSync(EXAMPLES, path.join(dir, "examples"), {
    recursive: true,
    filter: (source) => !/examples\/[^/]*\.ts$/.test(source),
  });
  for (const file of readdirSync(EXAMPLES))
    if (file.endsWith(".ts"))
      write(path.join(EXAMPLES, file), path.join(dir, "examples", file.replace(/\.ts$/, ".js")));
  symlinkSync(path.join(REPOSITORY, "node_modules"), path.join(dir, "node_modules"));
  return {
    dir,
    bin: path.join(dir, "dist/cli/bin.js"),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
