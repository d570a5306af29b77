import { defineConfig } from "vite";

const here = new URL(".", import.meta.url).pathname;

/**
 * Two builds: the page (default), and with `--mode embed` the library for other people's pages. Nothing in them is
 * inline and all addresses are relative, so that a strict Content-Security-Policy and any path hold.
 */
export default defineConfig(({ mode }) => ({
  root: here,
  base: "./",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    outDir: "../../dist/page",
    emptyOutDir: mode !== "embed",
    target: "es2023",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The layout engine is large, and loaded only where a chart has no layout yet.
    chunkSizeWarningLimit: 2_000,
    reportCompressedSize: false,
    ...(mode === "embed"
      ? {
          lib: { entry: "embed.ts", formats: ["es"], fileName: () => "embed.js", cssFileName: "embed" },
          rollupOptions: { output: { chunkFileNames: "embed/[name]-[hash].js" } },
        }
      : {
          rollupOptions: {
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
