import { existsSync } from "node:fs";
import module from "node:module";

// Since Node 22.1: keeps the compiled code of all modules loaded from here on.
module.enableCompileCache?.();

/** Runs an entry of `cli/`: in the published package its build, in a checkout its source, which needs no build. */
export async function runEntry(name) {
  const source = new URL(`../cli/${name}.ts`, import.meta.url);
  if (existsSync(source)) {
    const { register } = await import("tsx/esm/api");
    register();
    await import(source.href);
  } else await import(`../dist/cli/${name}.js`);
}
