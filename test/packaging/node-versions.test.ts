import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** The Node versions that the package supports: its oldest, and the two that are maintained longest. */
const VERSIONS = ["20.19.0", "22.23.3", "24.21.0"];
const INSTALL_MS = 600_000;

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
const project = path.join(folder, "project");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = `
import { allowEverything, anthropic, createHost } from "signalbox";
import { parseScript, startMock } from "signalbox/testing";

const mock = await startMock(parseScript(\`
  - { tool: list_files, input: { path: . } }
  - { tool: attempt_completion, input: { result: Done. } }\`));
const host = createHost({ dataDir: "./tasks" });
const task = await host.create({
  model: anthropic({ model: "mock", baseURL: mock.url, apiKey: "any" }),
  permissions: { judge: allowEverything() },
  workspace: ".",
});
const { state, result } = await task.run("Go");
console.log(state, result);
await host.closeAll();
await mock.close();
`;

/** The packed packages, installed in a project from their tarballs and the registry. */
beforeAll(() => {
  mkdirSync(project);
  writeFileSync(path.join(project, "package.json"), `{ "type": "module" }`);
  writeFileSync(path.join(project, "main.js"), PROGRAM);
  const tarballs = [".", "visualize", "cli"].map((source) => {
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
    const output = execFileSync("npm", args, {
      cwd: path.join(root, source),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return path.join(folder, JSON.parse(output)[0].filename);
  });
  execFileSync("npm", ["install", "--silent", ...tarballs], { cwd: project });
}, INSTALL_MS);

describe.each(VERSIONS)("on Node %s", (version) => {
  const at = path.join(folder, version);
  const node = path.join(at, "node_modules/node/bin/node");
  const run = (...args: readonly string[]) => {
    const { stdout, stderr, status } = spawnSync(node, args, { cwd: project, encoding: "utf8" });
    return { stdout, stderr, status };
  };

  beforeAll(() => {
    mkdirSync(at);
    execFileSync("npm", ["install", "--silent", `node@${version}`], { cwd: at });
    expect(run("--version").stdout).toMatch(new RegExp(`^v${version.replaceAll(".", "\\.")}`));
  }, INSTALL_MS);

  test("the engine runs a task in a program", () => {
    expect(run("main.js")).toEqual({ stdout: "idle Done.\n", stderr: "", status: 0 });
  });

  test("the command runs a task, and lists it", () => {
    const command = path.join(project, "node_modules/@signalbox/cli/npm/signalbox.js");
    const data = ["--data-dir", `tasks-${version}`];
    const ran = run(command, "run", "-p", "-y", "--provider", "mock", ...data, "Go");
    expect(ran.status, ran.stderr).toBe(0);
    const listed = run(command, "list", "--format", "json", ...data);
    expect(JSON.parse(listed.stdout).tasks).toHaveLength(1);
  });
});
