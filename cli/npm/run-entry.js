import { existsSync } from "node:fs";
import module from "node:module";

// Since Node 22.1: keeps the compiled code of all modules loaded from here on.
module.enableCompileCache?.();

/**
 * Runs an entry of `cli/`: the build of the published package; in a checkout its build if it is current, else its source,
 * which needs no build but takes seconds to start.
 */
export async function runEntry(name) {
  const source = new URL(`../${name}.ts`, import.meta.url);
  if (!existsSync(source)) {
    await import(`../dist/${name}.js`);
    return;
  }
  const { buildPage, isCodeCurrent } = await import("./checkout.js");
  await buildPage(process.argv.slice(2));
  if (isCodeCurrent()) await import(`../dist/${name}.js`);
  else {
    const { register } = await import("tsx/esm/api");
    register();
    await import(source.href);
  }
}
