import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The root folder of the project, above the sources and above a folder of compiled benches. */
export const ROOT = rootOf(path.dirname(fileURLToPath(import.meta.url)));

function rootOf(folder: string): string {
  if (existsSync(path.join(folder, "bench/main.ts"))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder)
    throw new Error("Expected a folder of the project, found none with bench/main.ts above this module.");
  return rootOf(parent);
}
