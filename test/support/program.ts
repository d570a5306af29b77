import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { WHOLE } from "../../esbuild.config.ts";
import { newBuild } from "./builds.ts";

const built = new Map<string, Promise<string>>();

/**
 * Bundles a program of the tests with the sources as they are now and their dependencies, once in each worker: a process
 * reads one file instead of a thousand.
 *
 * @returns the path of the bundle
 */
export function program(source: URL): Promise<string> {
  const file = fileURLToPath(source);
  const known = built.get(file) ?? bundled(file);
  built.set(file, known);
  return known;
}

async function bundled(file: string): Promise<string> {
  const outfile = path.join(newBuild(), path.basename(file).replace(/\.ts$/, ".js"));
  await build({ ...WHOLE, entryPoints: [file], outfile });
  return outfile;
}
