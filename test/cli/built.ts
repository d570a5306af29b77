import { cpSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, bundlePrograms } from "../../esbuild.config.ts";
import { newBuild } from "../support/builds.ts";
import { write } from "./transpiled.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples", import.meta.url));

/** The package, built from the source as it is now. */
export interface Built {
  readonly dir: string;
  readonly bin: string;
}

let built: Promise<Built> | undefined;

/**
 * Bundles the package to a folder, with its examples, once in each worker: a process starts much faster from it than from the
 * source, and an old build can't be tested by mistake. The programs have their dependencies in them, and modules that the
 * entries do not share. No test may write to the folder.
 */
export function build(): Promise<Built> {
  built ??= buildWithPrograms();
  return built;
}

async function buildWithPrograms(): Promise<Built> {
  const published = await buildAsPublished();
  await bundlePrograms(path.join(published.dir, "dist"));
  return published;
}

/** Bundles the package as it is published to a folder of the caller. */
export async function buildAsPublished(): Promise<Built> {
  const dir = newBuild();
  await bundle(path.join(dir, "dist"));
  cpSync(EXAMPLES, path.join(dir, "examples"), {
    recursive: true,
    filter: (source) => !/examples\/[^/]*\.ts$/.test(source),
  });
  for (const file of readdirSync(EXAMPLES))
    if (file.endsWith(".ts"))
      write(path.join(EXAMPLES, file), path.join(dir, "examples", file.replace(/\.ts$/, ".js")));
  return { dir, bin: path.join(dir, "dist/cli/bin.js") };
}
