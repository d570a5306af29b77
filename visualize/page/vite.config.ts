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

/**
 * Two builds: the page (default), and with `--mode embed` the library for other pages, as a module and as a plain
 * script for a page in one file. The page has nothing inline and only relative addresses, so that it works at any path
 * and with a strict Content-Security-Policy. Each form of the library is one file.
 */
export default defineConfig(({ mode }) => ({
  root: here,
  base: "./",
  publicDir: false,
  plugins: [noEval],
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
    outDir: "../../dist/page",
    emptyOutDir: mode !== "embed",
    target: "es2023",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The layout engine is large. The page loads it separately.
    chunkSizeWarningLimit: 4_000,
    reportCompressedSize: false,
    ...(mode === "embed"
      ? {
          lib: {
            entry: "embed.ts",
            formats: ["es", "iife"],
            name: "signalbox",
            fileName: (format) => (format === "es" ? "embed.js" : "embed.script.js"),
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
