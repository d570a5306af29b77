import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a page of somebody's imports, and how large it may be in KB, gzipped. */
const BROWSER: readonly (readonly [title: string, code: string, limit: number])[] = [
  ["taskMachine with xstate", `export { taskMachine } from "./machines/index.ts";`, 52],
  ["all of signalbox/machines", `export * from "./machines/index.ts";`, 54],
  ["signalbox/client", `export * from "./client/index.ts";`, 72],
  ["signalbox/react", `export * from "./client/react/index.ts";`, 43],
  ["signalbox/trace", `export * from "./visualize/trace/index.ts";`, 128],
  ["signalbox/wire", `export * from "./wire/index.ts";`, 37],
  ["@signalbox/debugger", `export * from "./visualize/index.ts";`, 480],
  ["signalbox/control", `export * from "./control/index.ts";`, 15],
  ["signalbox/verify", `export * from "./verify/index.ts";`, 132],
];

/** The gzipped size in KB of a bundle for browsers. @throws where it needs a module of Node */
async function sizeOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: "ts" },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    external: ["react"],
    logLevel: "silent",
  });
  return gzipSync(outputFiles[0]?.contents ?? "").length / 1024;
}

function expectAtMost(limit: number, kilobytes: number, title: string): void {
  console.log(`${title}: ${kilobytes.toFixed(1)} KB gzipped, at most ${limit}`);
  expect(kilobytes).toBeLessThanOrEqual(limit);
}

describe("an entry for browsers is bundled without a module of Node", () => {
  test.each(BROWSER)("%s", async (title, contents, limit) => {
    expectAtMost(limit, await sizeOf(contents), title);
  });

  test("the client views, beside taskMachine", async () => {
    const machine = `export { taskMachine } from "./machines/index.ts";`;
    const views = `export { ExtensionClient, StateStore } from "./client/index.ts";`;
    const size = (await sizeOf(`${machine}\n${views}`)) - (await sizeOf(machine));
    expectAtMost(25, size, "the client views");
  });
});

/** An extension's program: a task with the package's tools, on a model that a script plays. */
const PROGRAM = `
import { allowEverything, anthropic, builtinTools, createHost, memoryJournal } from "./index.ts";
import { parseScript, startMock } from "./testing/index.ts";

async function main() {
  const mock = await startMock(parseScript(\`
    - { tool: list_files, input: { path: . } }
    - { tool: attempt_completion, input: { result: Done. } }\`));
  const host = createHost({ journal: () => memoryJournal() });
  const task = await host.create({
    model: anthropic({ model: "mock", baseURL: mock.url, apiKey: "any" }),
    tools: builtinTools(),
    permissions: { judge: allowEverything() },
    workspace: process.cwd(),
  });
  const { state, result } = await task.run("Go");
  console.log(state + ": " + result);
  await host.closeAll();
  await mock.close();
}
void main();
`;

test("a bundle to CommonJS, the form of an editor extension, is made without a warning and runs a task", async () => {
  const file = path.join(folder, "extension.cjs");
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  const { warnings } = await build({
    stdin: { contents: PROGRAM, resolveDir: root, loader: "ts" },
    bundle: true,
    outfile: file,
    format: "cjs",
    platform: "node",
    target: "node20",
    logLevel: "silent",
  });
  expect(warnings).toEqual([]);
  writeFileSync(path.join(folder, "package.json"), "{}");
  const { stdout, stderr, status } = spawnSync(process.execPath, [file], { encoding: "utf8", cwd: folder });
  expect(stderr).toBe("");
  expect(stdout).toBe("idle: Done.\n");
  expect(status).toBe(0);
});

test("a bundle of README's program is made without the optional packages, and without a warning", async () => {
  const [, program = ""] =
    /```ts\n([\s\S]*?)```/.exec(readFileSync(path.join(root, "README.md"), "utf8")) ?? [];
  const { errors, warnings } = await build({
    stdin: { contents: program, resolveDir: root, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "silent",
    alias: { signalbox: path.join(root, "index.ts"), ...missing },
  });
  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
});

/** The optional packages under names that are not installed. */
const missing = Object.fromEntries(
  ["pg", "playwright-core", "@ai-sdk/google", "@ai-sdk/openai", "@ai-sdk/openai-compatible"].map((name) => [
    name,
    `not-installed-${name.replaceAll(/\W/g, "-")}`,
  ]),
);
