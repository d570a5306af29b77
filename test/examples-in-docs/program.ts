import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { z } from "zod";

export const root = fileURLToPath(new URL("../../", import.meta.url));

const Manifest = z.object({
  name: z.string(),
  exports: z.record(z.string(), z.union([z.string(), z.object({ types: z.string() })])),
});

/** The folders of the packages that are imported. Their declarations have the paths of the sources. */
const PACKAGES = [".", "visualize"];

/** The doors of the packages: what is imported, and the source that it means. */
export const doors: ReadonlyMap<string, string> = new Map(
  PACKAGES.flatMap((folder) => {
    const { name, exports } = Manifest.parse(
      JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8")),
    );
    return Object.entries(exports).flatMap(([subpath, target]) =>
      typeof target === "string"
        ? []
        : [[path.posix.join(name, subpath), target.types.replace("/dist/", "/").replace(".d.ts", ".ts")]],
    );
  }),
);

/** Sources that no door has, and whose docstrings a page shows. */
const SHOWN = ["present/task-status.ts", "verify/laws/described-laws.ts"];

/** A program over the package's sources, with these files beside them that exist nowhere. */
export function programWith(files: ReadonlyMap<string, string>): ts.Program {
  const config = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.config.compilerOptions, root);
  const paths = Object.fromEntries([...doors].map(([name, source]) => [name, [path.join(root, source)]]));
  const all = { ...options, paths, rewriteRelativeImportExtensions: false, allowImportingTsExtensions: true };
  const host = ts.createCompilerHost(all);
  const read = host.getSourceFile.bind(host);
  host.fileExists = (name) => files.has(name) || ts.sys.fileExists(name);
  host.getSourceFile = (name, target, ...rest) => {
    const text = files.get(name);
    return text === undefined ? read(name, target, ...rest) : ts.createSourceFile(name, text, target);
  };
  const sources = [...doors.values(), ...SHOWN].map((source) => path.join(root, source));
  return ts.createProgram([...sources, ...files.keys()], all, host);
}

/** The pages: the README, and all of docs but the API reference, which is built. */
export const pages: readonly string[] = [
  "README.md",
  "AGENTS.md",
  ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("api"))
    .map((name) => `docs/${name}`)
    .sort(),
];
