/**
 * Deletes the declarations that no entry of a package reaches: `tsx .ci/public-declarations.ts visualize` for the
 * package in `visualize`. The compiler writes one for each source that the entries import, and a user's compiler reads
 * only the ones that the entries' declarations import.
 */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { z } from "zod";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const Manifest = z.object({
  exports: z.record(z.string(), z.union([z.string(), z.object({ types: z.string() })])),
});

const [folder = "."] = process.argv.slice(2);
const packageFolder = path.join(ROOT, folder);
const manifest = Manifest.parse(JSON.parse(readFileSync(path.join(packageFolder, "package.json"), "utf8")));
const entries = Object.values(manifest.exports).flatMap((target) =>
  typeof target === "string" ? [] : [path.join(packageFolder, target.types)],
);

/** The declarations that a declaration imports, without the ones of other packages. */
const importsOf = (file: string): readonly string[] =>
  ts
    .preProcessFile(readFileSync(file, "utf8"))
    .importedFiles.filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => path.join(path.dirname(file), fileName.replace(/\.tsx?$/, ".d.ts")));

const reached = new Set(entries);
// A set yields what is added while it is read.
for (const file of reached) for (const imported of importsOf(file)) reached.add(imported);

const dist = path.join(packageFolder, "dist");
for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  const file = path.join(dist, name);
  if (name.endsWith(".d.ts") && !reached.has(file)) rmSync(file);
}
