import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const isBuilt = existsSync(path.join(root, "visualize/dist/page/embed.js"));
const { resolve } = createRequire(import.meta.url);

/** An embedding page with one type error, to show that the types are found. */
const THEIR_PAGE = `import { parseEvents, fileSource, httpSource, mount, type PageSource } from "@signalbox/debugger/page";
const sources: PageSource[] = [fileSource(parseEvents("")), httpSource("")];
const shown = mount(document.body, { source: sources[0]!, at: 27, theme: "dark" });
shown.update({ connection: "lost" });
mount(document.body, { source: sources[0]!, theme: "pink" });
`;

function problemsOf(text: string): readonly string[] {
  const name = path.join(root, "test/page/their-page.ts");
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.fileExists = (file) => file === name || ts.sys.fileExists(file);
  host.getSourceFile = (file, target) =>
    file === name ? ts.createSourceFile(name, text, target) : read(file, target);
  const program = ts.createProgram([name], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file === undefined || file.fileName === name || file.fileName.startsWith(root))
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
}

/** The files that the page loads when it needs them. */
const LATER = ["embed-layout.js", "embed-markdown.js", "embed-share.js", "embed-transcripts.js"] as const;
/** The most bytes of the first load, compressed. */
const FIRST_LOAD_MAX = 300_000;

describe.skipIf(!isBuilt)("the built page", () => {
  const folder = path.join(root, "visualize/dist/page");
  const read = (file: string): string => readFileSync(path.join(folder, file), "utf8");

  /** The files that the page loads at once: the ones it names, and the ones that these import. */
  function firstLoad(): readonly string[] {
    const named = [...read("index.html").matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = ""]) => file);
    const imported = named
      .filter((file) => file.endsWith(".js"))
      .flatMap((script) =>
        [...read(script).matchAll(/\bfrom\s*"([^"]+)"/g)].map(([, file = ""]) =>
          path.join(path.dirname(script), file),
        ),
      );
    return ["index.html", ...named, ...imported].map((file) => path.normalize(file));
  }

  it("loads at most 300 KB at first, compressed, without what it loads when it needs it", () => {
    const files = firstLoad();
    expect(files).toEqual(expect.arrayContaining(["embed.js", "embed.css"]));
    for (const later of LATER) expect(files).not.toContain(later);
    const bytes = files.reduce((sum, file) => sum + gzipSync(read(file)).length, 0);
    console.log(`first load: ${(bytes / 1_000).toFixed(1)} KB compressed in ${files.length} files`);
    expect(bytes).toBeLessThanOrEqual(FIRST_LOAD_MAX);
  });

  it("imports what it loads later in one place each, from files of their own", () => {
    expect(
      read("embed.js")
        .match(/import\(.{0,40}/g)
        ?.toSorted(),
    ).toEqual(LATER.map((file) => expect.stringContaining(`./${file}`)));
    expect(read("embed.js")).not.toContain("org.eclipse.elk");
    expect(read("embed-layout.js")).toContain("org.eclipse.elk");
    expect(
      ["embed.js", "embed-markdown.js"].filter((file) => read(file).includes("emphasisSequence")),
    ).toEqual(["embed-markdown.js"]);
  });
});

describe.skipIf(!isBuilt)("@signalbox/debugger/page", () => {
  it("is a module that can be loaded without a document, and a style", async () => {
    const module: unknown = await import(/* @vite-ignore */ resolve("@signalbox/debugger/page"));
    expect(Object.keys(Object(module)).sort()).toEqual([
      "SourceError",
      "fileSource",
      "httpSource",
      "mount",
      "openFiles",
      "parseEvents",
    ]);
    expect(existsSync(resolve("@signalbox/debugger/page.css"))).toBe(true);
  });

  it("has types that need none of the page's dependencies", () => {
    const problems = problemsOf(THEIR_PAGE);
    expect(problems.join("\n")).toContain(`"pink"' is not assignable`);
    expect(problems).toHaveLength(1);
  });
});
