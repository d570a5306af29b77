import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { build } from "esbuild";

/** Bundles each entry of the package and its programs to `dist`. What several of them need is in shared chunks. */
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const entries = Object.values(manifest.exports).flatMap((target) => {
  const [, source] = /^\.\/dist\/((?!page).*)\.js$/.exec(target.default ?? "") ?? [];
  return source === undefined ? [] : [`${source}.ts`];
});

// The page has a build of its own, after this one.
for (const name of existsSync("dist") ? readdirSync("dist") : [])
  if (name !== "page") rmSync(`dist/${name}`, { recursive: true });

await build({
  // A thread of the explorer runs its own module.
  entryPoints: [...entries, "cli/bin.ts", "cli/roo.ts", "cli/verify/thread.ts"],
  outdir: "dist",
  outbase: ".",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node20",
});
