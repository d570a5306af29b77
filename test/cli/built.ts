import { cpSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundleCommand, bundleEngine } from "../../esbuild.config.ts";
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
 * Bundles the engine and the command to a folder, with the examples, once in each worker: a process starts much faster from
 * it than from the source, and an old build can't be tested by mistake. No test may write to the folder.
 */
export function build(): Promise<Built> {
  built ??= buildOnce();
  return built;
}

async function buildOnce(): Promise<Built> {
  const dir = newBuild();
  await bundleEngine(path.join(dir, "dist"));
  await bundleCommand(path.join(dir, "cli/dist"));
  cpSync(EXAMPLES, path.join(dir, "examples"), {
    recursive: true,
    filter: (source) => !/examples\/[^/]*\.ts$/.test(source),
  });
  for (const file of readdirSync(EXAMPLES))
    if (file.endsWith(".ts"))
      write(path.join(EXAMPLES, file), path.join(dir, "examples", file.replace(/\.ts$/, ".js")));
  return { dir, bin: path.join(dir, "cli/dist/bin.js") };
}
