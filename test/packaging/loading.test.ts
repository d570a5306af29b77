import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const Coverage = z.object({ result: z.array(z.object({ url: z.string() })) });

/** The files that a Node process loads for a program, from the root of the package: V8's coverage lists every script. */
function filesLoadedBy(program: string): readonly string[] {
  const dir = mkdtempSync(path.join(folder, "coverage-"));
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NODE_V8_COVERAGE: dir },
  });
  expect(status, stderr).toBe(0);
  return readdirSync(dir)
    .map((name) => Coverage.parse(JSON.parse(readFileSync(path.join(dir, name), "utf8"))))
    .flatMap(({ result }) => result.map(({ url }) => url))
    .filter((url) => url.startsWith("file:"))
    .map((url) => path.relative(root, fileURLToPath(url)));
}

test("importing the package loads no @anthropic-ai/sdk: the first request of a model does", () => {
  const loaded = filesLoadedBy(`await import("signalbox");`);
  expect(loaded).toContain("dist/index.js");
  expect(loaded.filter((file) => file.includes("@anthropic-ai/sdk"))).toEqual([]);

  const requesting = filesLoadedBy(`
    import { anthropic } from "signalbox";
    const model = anthropic({ model: "any", apiKey: "any", baseURL: "http://127.0.0.1:1" });
    const events = model.stream({ system: [], messages: [], tools: [] }, new AbortController().signal);
    await events[Symbol.asyncIterator]().next().catch(() => {});`);
  expect(requesting.filter((file) => file.includes("@anthropic-ai/sdk"))).not.toEqual([]);
});

test("`signalbox list` loads no other package: the command is bundled", () => {
  const loaded = filesLoadedBy(`
    process.argv = ["node", "signalbox", "list", "--data-dir", ${JSON.stringify(folder)}];
    await import("./cli/dist/bin.js");`);
  expect(loaded).toContain("cli/dist/bin.js");
  expect(loaded.filter((file) => file.startsWith("node_modules/"))).toEqual([]);
});
