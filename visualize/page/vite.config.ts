import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const here = new URL(".", import.meta.url).pathname;

/** The package declares no side effects. This module has one. */
const noEval: Plugin = {
  name: "no-eval",
  transform(code, id) {
    return id.endsWith("/no-eval.ts") ? { code, moduleSideEffects: true } : undefined;
  },
};

/** The names of `index.ts` that are values. */
const EXPORTS = "SourceError, fileSource, httpSource, mount, parseEvents";

/** Makes the plain script a module by its last line. A page in one file leaves that line out. */
const exportLine: Plugin = {
  name: "export-line",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === "chunk")
        file.code = `${file.code.trimEnd()}\nexport const { ${EXPORTS} } = signalbox;\n`;
  },
};

/** The page loads the library from the file beside it, so that the package contains it once. */
const sharedLibrary: Plugin = {
  name: "shared-library",
  enforce: "pre",
  resolveId(source) {
    return source === "./embed.ts" ? { id: LIBRARY, external: true } : undefined;
  },
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === "chunk") file.code = file.code.replace(LIBRARY, "../embed.js");
  },
  transformIndexHtml: () => [{ tag: "link", attrs: { rel: "stylesheet", href: "./embed.css" } }],
};
const LIBRARY = "signalbox-page-library";

/**
 * Two builds: the page (default), and with `--mode embed` the library, which the page and other pages load. The page
 * has nothing inline and only relative addresses, so that it works at any path and with a strict
 * Content-Security-Policy. The library is one file.
 */
export default defineConfig(({ mode }) => ({
  root: here,
  base: "./",
  publicDir: false,
  plugins: mode === "embed" ? [noEval, exportLine] : [sharedLibrary],
  // The default browser module uses the document as soon as it is loaded.
  resolve: {
    alias: {
      "decode-named-character-reference": fileURLToPath(
        import.meta.resolve("decode-named-character-reference"),
      ),
    },
  },
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    outDir: "../dist/page",
    emptyOutDir: mode !== "embed",
    target: "es2023",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The layout engine is large.
    chunkSizeWarningLimit: 4_000,
    reportCompressedSize: false,
    license: mode === "embed" && { fileName: "THIRD-PARTY.md" },
    ...(mode === "embed"
      ? {
          lib: {
            entry: "embed.ts",
            formats: ["iife"],
            name: "signalbox",
            fileName: () => "embed.js",
            cssFileName: "embed",
          },
          rolldownOptions: { output: { codeSplitting: false } },
        }
      : {
          rolldownOptions: {
            output: {
              entryFileNames: "page/[name]-[hash].js",
              chunkFileNames: "page/[name]-[hash].js",
              assetFileNames: "page/[name]-[hash][extname]",
            },
          },
        }),
  },
  ...(mode === "embed" && { define: { "process.env.NODE_ENV": JSON.stringify("production") } }),
}));
