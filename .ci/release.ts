/**
 * Releases all packages with one version: `npm run release -- 0.2.0`. Writes the version and the date, builds, asks npm what it
 * would publish, commits and tags. It publishes nothing: docs/internals/releases.md has the steps after it.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The folders of the packages, in the order in which they are published. */
const PACKAGES = ["visualize", ".", "cli", "cluster"];

const [version = ""] = process.argv.slice(2);

const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

/** Replace a text that a file has once. */
function replace(file: string, pattern: RegExp, text: string): void {
  const from = path.join(ROOT, file);
  const content = readFileSync(from, "utf8");
  const found = content.match(new RegExp(pattern, `${pattern.flags}g`)) ?? [];
  if (found.length !== 1)
    throw new Error(`${file}: expected ${pattern} once, found it ${found.length} times.`);
  writeFileSync(
    from,
    content.replace(pattern, () => text),
  );
}

function assertReleasable(): void {
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(
      `Expected a version such as 0.2.0, got ${JSON.stringify(version)}: npm run release -- 0.2.0`,
    );
  if (run("git", "status", "--porcelain") !== "")
    throw new Error("Expected no uncommitted changes. Commit or stash them first.");
  if (run("git", "tag", "--list", `v${version}`) !== "")
    throw new Error(`The tag v${version} exists. Choose the next version.`);
  if (/## Unreleased\s+(?:## |$)/.test(readFileSync(path.join(ROOT, "CHANGELOG.md"), "utf8")))
    throw new Error("CHANGELOG.md: expected changes under Unreleased.");
}

function writeVersion(): void {
  for (const folder of PACKAGES)
    replace(path.join(folder, "package.json"), /"version": "[^"]*"/, `"version": "${version}"`);
  replace("cli/package.json", /"@signalbox\/debugger": "[^"]*"/, `"@signalbox/debugger": "${version}"`);
  replace("cluster/package.json", /"signalbox": "[\d.]*"/, `"signalbox": "${version}"`);
  replace("examples/editor/package.json", /"signalbox": "\^[^"]*"/, `"signalbox": "^${version}"`);
  replace("wire/version.ts", /VERSION = "[^"]*"/, `VERSION = "${version}"`);
  const date = new Date().toISOString().slice(0, 10);
  replace("CHANGELOG.md", /## Unreleased/, `## Unreleased\n\n## ${version} - ${date}`);
  run("npm", "install", "--package-lock-only", "--ignore-scripts");
}

function release(): void {
  assertReleasable();
  try {
    writeVersion();
    run("npm", "run", "build");
    for (const folder of PACKAGES)
      process.stdout.write(
        run("npm", "publish", "--dry-run", "--ignore-scripts", "--access", "public", `./${folder}`),
      );
    run("git", "commit", "--all", "--message", `Release ${version}`);
  } catch (error) {
    run("git", "reset", "--hard");
    throw error;
  }
  run("git", "tag", "--annotate", `v${version}`, "--message", `Release ${version}`);
  process.stdout.write(
    `Committed and tagged v${version}. The next steps are in docs/internals/releases.md.\n`,
  );
}

release();
