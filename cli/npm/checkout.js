import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

// What a checkout of the repository needs in addition: the published package has no sources.

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NO_SOURCES = new Set(["bench", "docs", "examples", "test"]);
const MADE = new Set(["dist", "node_modules"]);
/** The folders that the page is built from. */
const PAGE_SOURCES = ["actors", "client", "machines", "ports", "present", "verify", "visualize", "wire"];
const PAGE = path.join(ROOT, "visualize/dist/page");
/** The builds of the page, as arguments of Vite, and a file of each. */
const BUILDS = [
  [],
  ...["embed", "layout", "markdown", "share", "transcripts"].map((name) => ["--mode", name]),
];
const BUILT = [
  "index.html",
  "embed.js",
  "embed-layout.js",
  "embed-markdown.js",
  "embed-share.js",
  "embed-transcripts.js",
];

/** Whether the built code is newer than each source. */
export function isCodeCurrent() {
  const built = changedAt(path.join(ROOT, "cli/dist/bin.js"));
  const folders = readdirSync(ROOT, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith(".") && !NO_SOURCES.has(name) && !MADE.has(name))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  return (
    built > 0 &&
    [...folders, "index.ts", "package.json"].every((name) => newestIn(path.join(ROOT, name)) < built)
  );
}

/** Build the debugger page if the command shows it, and it was not built or a source is newer. */
export async function buildPage(args) {
  if (!showsPage(args)) return;
  const built = Math.min(...BUILT.map((name) => changedAt(path.join(PAGE, name))));
  if (built > 0 && PAGE_SOURCES.every((name) => newestIn(path.join(ROOT, name)) < built)) return;
  process.stderr.write(
    "Building the debugger page of this checkout. It is kept until its sources change ...",
  );
  const start = Date.now();
  const problem = await buildInto(`${PAGE}.${process.pid}`);
  if (problem?.signal) process.kill(process.pid, problem.signal);
  const seconds = Math.round((Date.now() - start) / 1_000);
  process.stderr.write(
    problem === undefined
      ? ` ${seconds} s\n`
      : `\nThe page could not be built: ${problem.message}\nTry npm run build:page.\n`,
  );
}

function showsPage(args) {
  const [command] = args;
  if (command === "inspect" || command === "serve") return true;
  return args.some(
    (arg, index) =>
      arg === "--format=html" ||
      (arg === "html" && args[index - 1] === "--format") ||
      /^--(?:emit-)?(?:page|report)/.test(arg),
  );
}

/** Build in a folder of its own, so that another process never serves a part of the page. */
async function buildInto(folder) {
  const vite = path.join(ROOT, "node_modules/vite/bin/vite.js");
  const config = path.join(ROOT, "visualize/page/vite.config.ts");
  try {
    for (const mode of BUILDS) {
      const args = [vite, "build", "-c", config, "--outDir", folder, ...mode];
      const problem = await runToEnd(args);
      if (problem !== undefined) return problem;
    }
    mkdirSync(path.dirname(PAGE), { recursive: true });
    rmSync(PAGE, { recursive: true, force: true });
    renameSync(folder, PAGE);
    return undefined;
  } catch (error) {
    return { message: error.message };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Run Node with arguments. A signal to this process ends it too. Returns what went wrong. */
async function runToEnd(args) {
  let child;
  // Before it starts: a signal that came in between would end this process alone.
  const listeners = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => [signal, () => child.kill(signal)]);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let report = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    report += text;
  });
  const [code, signal] = await once(child, "close");
  for (const [name, listener] of listeners) process.off(name, listener);
  return code === 0 ? undefined : { message: report.trim() || `vite ended with code ${code}`, signal };
}

/** The newest change of a file or of anything in a folder, in milliseconds. */
function newestIn(file) {
  const stats = statSync(file);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return readdirSync(file)
    .filter((name) => !MADE.has(name))
    .reduce((newest, name) => Math.max(newest, newestIn(path.join(file, name))), 0);
}

/** 0 for a missing file. */
const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
