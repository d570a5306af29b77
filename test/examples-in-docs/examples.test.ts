import { copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { format } from "node:util";
import ts from "typescript";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../cli/process.ts";
import { filesIn, SOURCE_FOLDERS } from "../support/sources.ts";
import { doors, pages, programWith, root } from "./program.ts";

interface Example {
  /** Where it stands: `docs/reference/mock.md, example 1`. */
  readonly place: string;
  readonly code: string;
}

const FENCE = /^```ts\n(.*?)^```$/gms;

function inPage(name: string): Example[] {
  const text = readFileSync(path.join(root, name), "utf8");
  return [...text.matchAll(FENCE)].map(([, code = ""], n) => ({ place: `${name}, example ${n + 1}`, code }));
}

/** The `@example`s of a source's docstrings, with a fence or without. */
function inSource(name: string): Example[] {
  const text = readFileSync(path.join(root, name), "utf8");
  return [...text.matchAll(/^ *\* @example\n(.*?)(?=^ *\*\/| *\* @\w)/gms)].map(([, body = ""], n) => {
    const plain = body.replaceAll(/^ *\* ?/gm, "");
    const fenced = /^```ts\n(.*?)^```$/ms.exec(plain)?.[1];
    return { place: `${name}, @example ${n + 1}`, code: fenced ?? plain };
  });
}

const examples = [...pages.flatMap(inPage), ...filesIn(SOURCE_FOLDERS).flatMap(inSource)].sort((a, b) =>
  a.place.localeCompare(b.place),
);

const given = path.join(root, "test/examples-in-docs/given.d.ts");
const names = [...readFileSync(given, "utf8").matchAll(/const (\w+):/g)].map(([, name = ""]) => name);

/** An example that asks a live model, or takes something as given, is not run. */
function isSelfContained({ code }: Example): boolean {
  const asksLive = /\.(run|stream)\(/.test(code) && code.includes("anthropic(") && !code.includes("baseURL");
  const declared = (name: string) => new RegExp(`(import .*|const )\\b${name}\\b`).test(code);
  return !asksLive && names.every((name) => !new RegExp(`\\b${name}\\b`).test(code) || declared(name));
}

const fileOf = (index: number): string => path.join(root, `test/examples-in-docs/example-${index}.ts`);

describe("every example of the pages and docstrings", () => {
  let program: ts.Program;
  beforeAll(() => {
    const files = new Map(examples.map(({ code }, index) => [fileOf(index), `${code}\nexport {};\n`]));
    files.set(given.replace("given.d.ts", "given-names.d.ts"), readFileSync(given, "utf8"));
    program = programWith(files);
    program.getTypeChecker();
  });

  test("is found", () => {
    expect(examples.length).toBeGreaterThan(25);
    expect(examples.filter(isSelfContained).length).toBeGreaterThan(15);
  });

  test.each(examples.map(({ place }, index) => [place, index] as const))(
    "%s: has the right types",
    (_, index) => {
      const file = program.getSourceFile(fileOf(index));
      const found = ts.getPreEmitDiagnostics(program, file).map(({ messageText, start = 0 }) => {
        const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
        return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
      });
      expect(found).toEqual([]);
    },
  );
});

describe("an example that needs nothing else runs, and prints what it says that it prints", () => {
  const modules = new Map<string, unknown>();

  /** Run an example in a new folder with a package.json. Returns what it printed, and its exit code. */
  async function run(code: string): Promise<{ printed: readonly string[]; exitCode: number }> {
    const printed: string[] = [];
    const { outputText } = ts.transpileModule(code, {
      compilerOptions: {
        module: ts.ModuleKind.CommonJS,
        target: ts.ScriptTarget.ES2022,
        esModuleInterop: true,
      },
    });
    const AsyncFunction = (async () => {}).constructor as new (
      ...parts: string[]
    ) => (...values: unknown[]) => Promise<void>;
    const example = new AsyncFunction("require", "exports", "console", "process", outputText);
    const exited = Object.assign(Object.create(process), { exitCode: 0 });
    const log = (...said: unknown[]) => printed.push(format(...said));
    const [folder, before] = [temporaryFolder(), process.cwd()];
    copyFileSync(path.join(root, "package.json"), path.join(folder.path, "package.json"));
    process.chdir(folder.path);
    try {
      await example((name: string) => modules.get(name), {}, { log }, exited);
    } finally {
      process.chdir(before);
      folder.remove();
    }
    return { printed, exitCode: exited.exitCode };
  }

  beforeAll(async () => {
    for (const [name, source] of doors) modules.set(name, await import(path.join(root, source)));
    modules.set("xstate", await import("xstate"));
    modules.set("@ai-sdk/openai", await import("@ai-sdk/openai"));
    modules.set("@ai-sdk/openai-compatible", await import("@ai-sdk/openai-compatible"));
    modules.set("hono", await import("hono"));
    modules.set("zod", await import("zod"));
    modules.set("@statelyai/inspect", await import("@statelyai/inspect"));
  });

  test.each(examples.filter(isSelfContained).map(({ place, code }) => [place, code] as const))(
    "%s",
    async (_, code) => {
      const { printed } = await run(code);
      const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, words]) => words);
      if (promised.length > 0) expect(printed).toEqual(promised);
    },
  );

  test.each(["README.md", "docs/guide/embedding.md"])(
    "%s: its first example without a key prints the error, and exits with code 1",
    async (page) => {
      for (const name of ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]) vi.stubEnv(name, "");
      onTestFinished(() => void vi.unstubAllEnvs());
      const [{ code } = { code: "" }] = inPage(page);
      const { printed, exitCode } = await run(code);
      expect(printed.at(-1)).toContain("no_api_key");
      expect(exitCode).toBe(1);
    },
  );
});
