import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { build } from "../cli/built.ts";

const PROGRAM = fileURLToPath(new URL("./scenario.child.ts", import.meta.url));
const HERE = path.dirname(PROGRAM);

/** The compiled program of the crash matrix's processes. */
export interface Compiled {
  readonly program: string;
  remove(): void;
}

/** Compile the program and the current sources to a new folder: plain Node starts JavaScript much faster. */
export function compile(): Compiled {
  const built = build();
  const to = path.join(built.dir, "dist/test/crash");
  mkdirSync(to, { recursive: true });
  for (const file of readdirSync(HERE)) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    const { outputText } = ts.transpileModule(readFileSync(path.join(HERE, file), "utf8"), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    });
    writeFileSync(path.join(to, file.replace(/\.ts$/, ".js")), outputText);
  }
  return {
    program: path.join(to, path.basename(PROGRAM).replace(/\.ts$/, ".js")),
    remove: () => built.remove(),
  };
}
