import { existsSync } from "node:fs";

/** Runs an entry of `cli/`: in the published package its build, in a checkout its source, which needs no build. */
export async function runEntry(name) {
  const source = new URL(`../cli/${name}.ts`, import.meta.url);
  if (existsSync(source)) {
    const { register } = await import("tsx/esm/api");
    register();
    await import(source.href);
  } else await import(`../dist/cli/${name}.js`);
}
