import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { modelConformance } from "../../../testing/index.ts";
import { providerModels } from "../../support/dialects/provider-models.ts";

/** The lines of the packages that need more than Node 20, and a Node for them. */
const PACKAGES = ["node@24", "@ai-sdk/openai@4", "@ai-sdk/google@4", "@ai-sdk/openai-compatible@3"];
const HANGS_MS = 300_000;

const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runs = (file: string, args: readonly string[]) =>
  spawnSync(file, args, { cwd: folder, encoding: "utf8", timeout: HANGS_MS });

test(
  "the models of providers conform with the newest packages, on Node 24",
  async ({ skip }) => {
    writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    const npm = runs("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES]);
    if (npm.status !== 0) skip(`npm can't install ${PACKAGES.join(", ")}: ${npm.stderr}`);
    await build({
      entryPoints: [fileURLToPath(new URL("./conformance-run.ts", import.meta.url))],
      outfile: path.join(folder, "run.js"),
      bundle: true,
      external: ["@ai-sdk/*"],
      format: "esm",
      platform: "node",
    });
    const node = path.join(folder, "node_modules/.bin/node");
    expect(runs(node, ["--version"]).stdout).toMatch(/^v24\./);
    const { stdout, stderr } = runs(node, ["run.js"]);
    const results: unknown[] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const expected = Object.entries(providerModels).flatMap(([model, under]) =>
      modelConformance(under).map(({ title }) => ({ model, title, problem: null })),
    );
    expect(results, stderr).toEqual(expected);
  },
  HANGS_MS,
);
