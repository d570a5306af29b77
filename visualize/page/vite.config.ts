import { type BuildEnvironmentOptions, defineConfig, type Plugin } from "vite";
import { styleLayers } from "./style-layers.ts";

const here = new URL(".", import.meta.url).pathname;

/** The package declares no side effects. This module has one. */
const noEval: Plugin = {
  name: "no-eval",
  transform(code, id) {
    return id.endsWith("/no-eval.ts") ? { code, moduleSideEffects: true } : undefined;
  },
};

/** The exports of the plain scripts, which a page in one file contains: their names that are values, and their variable. */
const EXPORTS: Readonly<Record<string, string>> = {
  embed: "{ SourceError, fileSource, httpSource, mount, openFiles, parseEvents } = signalbox",
  markdown: "{ parseMarkdown } = signalboxMarkdown",
};

/** Makes a plain script a module by its last line. A page in one file leaves that line out. */
const exportLine = (mode: string): Plugin => ({
  name: "export-line",
  generateBundle(_options, bundle) {
    const exports = EXPORTS[mode];
    if (exports === undefined) return;
    for (const file of Object.values(bundle))
      if (file.type === "chunk") file.code = `${file.code.trimEnd()}\nexport const ${exports};\n`;
  },
});

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

/** The modules that the library loads from files beside it, when they are needed. */
const BESIDE: Readonly<Record<string, string>> = {
  "layout-engine.ts": "./embed-layout.js",
  "markdown-parser.ts": "./embed-markdown.js",
  "share-page.ts": "./embed-share.js",
  "transcript-readers.ts": "./embed-transcripts.js",
};

const besideLibrary: Plugin = {
  name: "beside-library",
  enforce: "pre",
  resolveId(source) {
    const id = BESIDE[source.slice(source.lastIndexOf("/") + 1)];
    return id === undefined ? undefined : { id, external: true };
  },
};

/** The built parts, by the mode of the build. */
const LIBRARIES: Readonly<Record<string, BuildEnvironmentOptions>> = {
  embed: {
    lib: {
      entry: "embed.ts",
      formats: ["iife"],
      name: "signalbox",
      fileName: () => "embed.js",
      cssFileName: "embed",
    },
    license: { fileName: "THIRD-PARTY.md" },
  },
  layout: {
    lib: { entry: "layout-engine.ts", formats: ["es"], fileName: () => "embed-layout.js" },
    license: { fileName: "THIRD-PARTY-LAYOUT.md" },
  },
  markdown: {
    lib: {
      entry: "markdown-parser.ts",
      formats: ["iife"],
      name: "signalboxMarkdown",
      fileName: () => "embed-markdown.js",
    },
    license: { fileName: "THIRD-PARTY-MARKDOWN.md" },
  },
  share: {
    lib: { entry: "share-page.ts", formats: ["es"], fileName: () => "embed-share.js" },
    license: { fileName: "THIRD-PARTY-SHARE.md" },
  },
  transcripts: {
    lib: { entry: "transcript-readers.ts", formats: ["es"], fileName: () => "embed-transcripts.js" },
    license: { fileName: "THIRD-PARTY-TRANSCRIPTS.md" },
  },
};

/**
 * The builds: the page (default), with `--mode embed` the library, which the page and other pages load, with
 * `--mode layout` the layout engine, which the library loads for machines without fixed places, with
 * `--mode markdown` the parser of the model's texts, with `--mode share` the maker of a page in one file, and with
 * `--mode transcripts` the readers of other agents' sessions, which it loads for the first of them. The page has nothing
 * inline and only relative addresses, so that it works at any path and with a strict Content-Security-Policy. The library
 * is one file.
 */
export default defineConfig(({ mode }) => {
  const library = LIBRARIES[mode];
  return {
    root: here,
    base: "./",
    publicDir: false,
    plugins: [...(mode === "embed" ? [noEval, besideLibrary] : [sharedLibrary]), exportLine(mode)],
    // The package has a table of all names, or uses the document as soon as it is loaded.
    resolve: { alias: { "decode-named-character-reference": `${here}text/character-reference.ts` } },
    css: { postcss: { plugins: [styleLayers(here)] } },
    oxc: { jsx: { runtime: "automatic" } },
    build: {
      outDir: "../dist/page",
      emptyOutDir: library === undefined,
      target: "es2023",
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // The layout engine is large.
      chunkSizeWarningLimit: 2_000,
      reportCompressedSize: false,
      ...library,
      rolldownOptions: {
        output:
          library === undefined
            ? {
                entryFileNames: "page/[name]-[hash].js",
                chunkFileNames: "page/[name]-[hash].js",
                assetFileNames: "page/[name]-[hash][extname]",
              }
            : { codeSplitting: false, minify: true },
      },
    },
    ...(library !== undefined && { define: { "process.env.NODE_ENV": JSON.stringify("production") } }),
  };
});
