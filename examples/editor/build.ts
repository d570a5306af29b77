// Builds the extension: `npx tsx examples/editor/build.ts`, then open examples/editor with `code --extensionDevelopmentPath`.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** Bundles the extension for the host of extensions, and the page of its view for a browser. */
export async function buildExtension(outdir: string): Promise<void> {
  await build({
    absWorkingDir: FOLDER,
    entryPoints: ["extension.ts"],
    outdir,
    bundle: true,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    platform: "node",
    target: "node20",
    // The editor has the first, the second finds its program in node_modules, and the others are optional.
    external: ["vscode", "@vscode/ripgrep", "playwright-core", "@ai-sdk/*"],
  });
  await build({
    absWorkingDir: FOLDER,
    entryPoints: ["webview/main.tsx", "webview/style.css"],
    outdir: `${outdir}/webview`,
    bundle: true,
    format: "iife",
    platform: "browser",
    target: "es2023",
    jsx: "automatic",
    minify: true,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildExtension(`${FOLDER}dist`);
