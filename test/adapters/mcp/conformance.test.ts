import { execFileSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { installed } from "../../cli/installed.ts";
import { Process } from "../../cli/process.ts";

const REVISIONS = ["2026-07-28", "2025-11-25"];
const TOOL = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
/** Time of a scenario, in milliseconds: many run at once. */
const SCENARIO_MS = 120_000;
const TEST_MS = 400_000;

const box = installed();
let tools = "";
let client = "";

// The tool needs a newer Node than this package; the client runs on this one.
beforeAll(async () => {
  tools = box.newFolder();
  client = path.join(box.dir, "conformance-client.mjs");
  execFileSync("npm", ["install", "--silent", "node@24", TOOL], { cwd: tools });
  await build({
    entryPoints: [fileURLToPath(new URL("conformance-client.ts", import.meta.url))],
    outfile: client,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
  });
});

/** The scenarios that a revision requires, and those that it does not score, each with its result. */
async function resultsOf(revision: string): Promise<string> {
  const tool = new Process(
    path.join(tools, "node_modules/@modelcontextprotocol/conformance/dist/index.js"),
    [
      ...["client", "--command", `${process.execPath} ${client}`],
      ...["--requirements", revision, "--timeout", String(SCENARIO_MS)],
    ],
    { program: path.join(tools, "node_modules/node/bin/node"), cwd: tools },
  );
  await tool.code;
  const results = [...tool.stdout.matchAll(/^([✓✗] \S+): \d+ passed/gm)].map(([, result]) => result);
  return [revision, ...results, ""].join("\n");
}

test("the client scenarios of the protocol have the results of docs/generated/mcp-conformance.txt", {
  timeout: TEST_MS,
}, async () => {
  const results: string[] = [];
  for (const revision of REVISIONS) results.push(await resultsOf(revision));
  await expect(results.join("\n")).toMatchFileSnapshot("../../../docs/generated/mcp-conformance.txt");
});
