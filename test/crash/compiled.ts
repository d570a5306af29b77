import { readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { transpile, write } from "../cli/transpiled.ts";

const PROGRAM = fileURLToPath(new URL("./scenario.child.ts", import.meta.url));
const HERE = path.dirname(PROGRAM);

/** The compiled program of the crash matrix's processes. */
export interface Compiled {
  readonly program: string;
  remove(): void;
}

/** Compile the program and the current sources to a new folder: plain Node starts JavaScript much faster. */
export function compile(): Compiled {
  const built = transpile();
  const to = path.join(built.dir, "dist/test/crash");
  for (const file of readdirSync(HERE)) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    write(path.join(HERE, file), path.join(to, file.replace(/\.ts$/, ".js")));
  }
  return {
    program: path.join(to, path.basename(PROGRAM).replace(/\.ts$/, ".js")),
    remove: () => built.remove(),
  };
}
