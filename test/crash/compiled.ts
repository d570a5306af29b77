import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

const PROGRAM = fileURLToPath(new URL("./scenario.child.ts", import.meta.url));

/** The compiled program of the crash matrix's processes. */
export interface Compiled {
  readonly program: string;
  remove(): void;
}

/** Bundle the program with the current sources to a new folder: a process reads one file instead of a thousand. */
export async function compile(): Promise<Compiled> {
  const dir = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
  const program = path.join(dir, "scenario.js");
  await build({
    absWorkingDir: ROOT,
    entryPoints: [PROGRAM],
    outfile: program,
    bundle: true,
    // CommonJS packages call it.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    external: ["@vscode/ripgrep"],
    format: "esm",
    platform: "node",
    target: "node20",
  });
  // package.json marks the file as a module, and has the version that is sent to MCP servers.
  cpSync(path.join(ROOT, "package.json"), path.join(dir, "package.json"));
  symlinkSync(path.join(ROOT, "node_modules"), path.join(dir, "node_modules"));
  return { program, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
