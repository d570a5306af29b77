import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { SOURCE_FOLDERS } from "../support/sources.ts";

const REPOSITORY = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** The package, with a file for each module. */
export interface Transpiled {
  readonly dir: string;
  readonly bin: string;
  remove(): void;
}

/**
 * Writes each module of the package to a folder of its own, without checking types: for tests that replace or add one.
 */
export function transpile(): Transpiled {
  const dir = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
  for (const folder of SOURCE_FOLDERS) writeAll(folder, path.join(dir, "dist", folder));
  write(path.join(REPOSITORY, "index.ts"), path.join(dir, "dist/index.js"));
  cpSync(path.join(REPOSITORY, "package.json"), path.join(dir, "package.json"));
  symlinkSync(path.join(REPOSITORY, "node_modules"), path.join(dir, "node_modules"));
  return {
    dir,
    bin: path.join(dir, "dist/cli/bin.js"),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function writeAll(folder: string, to: string): void {
  for (const file of readdirSync(path.join(REPOSITORY, folder), { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || /^dist[/\\]|node_modules/.test(file)) continue;
    write(path.join(REPOSITORY, folder, file), path.join(to, file.replace(/\.ts$/, ".js")));
  }
}

/** Write a module as JavaScript. */
export function write(from: string, to: string): void {
  const { outputText } = ts.transpileModule(readFileSync(from, "utf8"), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
    fileName: from,
  });
  mkdirSync(path.dirname(to), { recursive: true });
  writeFileSync(to, outputText);
}
