import { cpSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildExtension } from "../../../examples/editor/build.ts";
import { newBuild } from "../../support/builds.ts";

let built: Promise<string> | undefined;

/** Builds the example with its own script, beside the window that runs it, once in each worker. Returns its folder. */
export function builtExtension(): Promise<string> {
  built ??= buildIn(path.join(newBuild(), "extension"));
  return built;
}

async function buildIn(folder: string): Promise<string> {
  await buildExtension(path.join(folder, "dist"));
  cpSync("examples/editor/package.json", path.join(folder, "package.json"));
  const vscode = "node_modules/vscode";
  await build({
    entryPoints: {
      window: fileURLToPath(new URL("window.child.ts", import.meta.url)),
      [`${vscode}/index`]: fileURLToPath(new URL("vscode.ts", import.meta.url)),
    },
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    external: ["vscode"],
  });
  writeFileSync(path.join(folder, vscode, "package.json"), `{ "main": "index.cjs" }`);
  return folder;
}
