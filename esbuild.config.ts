import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { z } from "zod";

const FILE = fileURLToPath(import.meta.url);
const ROOT = path.dirname(FILE);
const Manifest = z.object({
  exports: z.record(z.string(), z.union([z.string(), z.object({ default: z.string() })])),
});

const OPTIONS: BuildOptions = {
  absWorkingDir: ROOT,
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
};

/**
 * Options for a bundle with all dependencies but those that have files or programs of their own, and the CommonJS packages
 * that are imported lazily: from a chunk such an import has no names.
 */
export const WHOLE: BuildOptions = {
  ...OPTIONS,
  // CommonJS packages call it.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
  external: ["@vscode/ripgrep", "elkjs", "playwright-core", "undici", "yaml"],
};

// A thread of the explorer runs its own module.
const PROGRAMS = ["cli/bin.ts", "cli/roo.ts", "cli/verify/thread.ts"];

/** Bundle each entry of the package and its programs to a folder. What several of them need is in shared chunks. */
export async function bundle(outdir: string): Promise<void> {
  const manifest = Manifest.parse(JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")));
  const entries = Object.values(manifest.exports).flatMap((target) => {
    const file = typeof target === "string" ? target : target.default;
    const [, source] = /^\.\/dist\/((?!page).*)\.js$/.exec(file) ?? [];
    return source === undefined ? [] : [`${source}.ts`];
  });
  await build({
    ...OPTIONS,
    entryPoints: [...entries, ...PROGRAMS],
    outdir,
    outbase: ".",
    splitting: true,
    packages: "external",
  });
}

/** Bundle the programs with their dependencies: they start in half the time. */
export async function bundlePrograms(outdir: string): Promise<void> {
  await build({
    ...WHOLE,
    entryPoints: PROGRAMS,
    outdir,
    outbase: ".",
    chunkNames: "programs/[hash]",
    splitting: true,
  });
}

if (process.argv[1] === FILE) {
  // The page has a build of its own, after this one.
  for (const name of existsSync("dist") ? readdirSync("dist") : [])
    if (name !== "page") rmSync(`dist/${name}`, { recursive: true });
  await bundle("dist");
}
