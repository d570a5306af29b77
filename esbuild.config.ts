import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { z } from "zod";

const FILE = fileURLToPath(import.meta.url);
const ROOT = path.dirname(FILE);
const Manifest = z.object({
  exports: z.record(z.string(), z.union([z.string(), z.object({ default: z.string() })])),
});

/** Bundle each entry of the package and its programs to a folder. What several of them need is in shared chunks. */
export async function bundle(outdir: string): Promise<void> {
  const manifest = Manifest.parse(JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")));
  const entries = Object.values(manifest.exports).flatMap((target) => {
    const file = typeof target === "string" ? target : target.default;
    const [, source] = /^\.\/dist\/((?!page).*)\.js$/.exec(file) ?? [];
    return source === undefined ? [] : [`${source}.ts`];
  });
  await build({
    absWorkingDir: ROOT,
    // A thread of the explorer runs its own module.
    entryPoints: [...entries, "cli/bin.ts", "cli/roo.ts", "cli/verify/thread.ts"],
    outdir,
    outbase: ".",
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20",
  });
}

if (process.argv[1] === FILE) {
  // The page has a build of its own, after this one.
  for (const name of existsSync("dist") ? readdirSync("dist") : [])
    if (name !== "page") rmSync(`dist/${name}`, { recursive: true });
  await bundle("dist");
}
