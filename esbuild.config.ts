import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { z } from "zod";

const FILE = fileURLToPath(import.meta.url);
const ROOT = path.dirname(FILE);
const Manifest = z.object({
  exports: z.record(z.string(), z.union([z.string(), z.object({ default: z.string() })])),
});

const Package = z.object({ name: z.string(), version: z.string(), license: z.string().default("unknown") });

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
  external: ["@vscode/ripgrep", "elkjs", "pg", "pg-boss", "playwright-core", "undici", "yaml"],
};

// A thread of the explorer runs its own module.
const PROGRAMS = ["cli/bin.ts", "cli/roo.ts", "cli/verify/thread.ts"];

/** Folders that `signalbox control run` reads. */
const SETTINGS = "cli/control/settings";

/** The entries of the package in a folder that are built from a source of the same name. */
function entriesOf(folder: string): readonly string[] {
  const manifest = Manifest.parse(JSON.parse(readFileSync(path.join(ROOT, folder, "package.json"), "utf8")));
  return Object.values(manifest.exports).flatMap((target) => {
    const file = typeof target === "string" ? target : target.default;
    const [, source] = /^\.\/dist\/((?!page).*)\.js$/.exec(file) ?? [];
    return source === undefined ? [] : [path.posix.join(folder, `${source}.ts`)];
  });
}

/** Bundle the entries of a package to a folder. What several of them need is in shared chunks. */
async function bundleEntries(folder: string, outdir: string): Promise<void> {
  // The cluster imports signalbox, which is another package.
  const external = ["signalbox", "signalbox/*"];
  const options = { ...OPTIONS, splitting: true, packages: "external", external } as const;
  await build({ ...options, entryPoints: [...entriesOf(folder)], outdir, outbase: folder });
}

/** Bundle the entries of the engine. */
export const bundleEngine = (outdir: string): Promise<void> => bundleEntries(".", outdir);

/** Bundle the command with its dependencies: it starts in half the time. */
export async function bundleCommand(outdir: string): Promise<void> {
  const { metafile } = await build({
    ...WHOLE,
    entryPoints: PROGRAMS,
    outdir,
    outbase: "cli",
    minifyWhitespace: true,
    splitting: true,
    metafile: true,
  });
  writeFileSync(path.join(outdir, "THIRD-PARTY.txt"), licensesOf(Object.keys(metafile.inputs)));
  cpSync(path.join(ROOT, SETTINGS), path.join(outdir, "control/settings"), { recursive: true });
}

/** The licenses of the packages that these files belong to. */
function licensesOf(files: readonly string[]): string {
  const folders = new Set(
    files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = Package.parse(
      JSON.parse(readFileSync(path.join(ROOT, folder, "package.json"), "utf8")),
    );
    const file = readdirSync(path.join(ROOT, folder)).find((each) => /^license\b/i.test(each));
    const text =
      file === undefined ? "" : `\n${readFileSync(path.join(ROOT, folder, file), "utf8").trim()}\n`;
    return `${name} ${version} (${license})\n${text}`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

if (process.argv[1] === FILE) {
  if (process.argv[2] === "debugger") {
    // The page is built before.
    for (const name of readdirSync("visualize/dist"))
      if (name !== "page") rmSync(`visualize/dist/${name}`, { recursive: true });
    await bundleEntries("visualize", "visualize/dist");
  } else {
    for (const folder of ["dist", "cli/dist", "cluster/dist"])
      rmSync(folder, { recursive: true, force: true });
    await bundleEngine("dist");
    await bundleCommand("cli/dist");
    await bundleEntries("cluster", "cluster/dist");
  }
}
