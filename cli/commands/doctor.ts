// cspell:words bavail statfs
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, readdir, stat, statfs } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { rgPath } from "@vscode/ripgrep";
import { DEFAULT_MODEL } from "../../adapters/anthropic/prices.ts";
import { connectMcp } from "../../adapters/mcp/servers.ts";
import { PROVIDERS } from "../../adapters/models/provider.ts";
import { SandboxError } from "../../adapters/sandbox/error.ts";
import { assertSandbox } from "../../adapters/sandbox/proof.ts";
import { printable } from "../../client/printable/printable.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import type { SettingEntry } from "../../settings/entry.ts";
import { type LoadedSettings, userSettingsFile } from "../../settings/load.ts";
import { selectSandbox } from "../../settings/sandbox.ts";
import { selectShell } from "../../settings/shell.ts";
import { proxiedFetch } from "../../tools/web/proxy.ts";
import { VERSION } from "../../wire/version.ts";
import { CliError, EXIT, errorMessage } from "../error.ts";
import type { Io } from "../io.ts";
import { textOrJson } from "../options.ts";
import { formatMcpStatus, mcpLogins } from "../run/mcp.ts";
import type { ModelSettings } from "../run/settings.ts";
import { configFolder } from "../settings/config-folder.ts";
import { loadRunSettings, withSettingsErrors } from "../settings/load.ts";
import { masked } from "../settings/masked.ts";
import { runMcpServers } from "../settings/mcp.ts";
import { readModel } from "../settings/model.ts";
import { formatIgnored } from "../settings/notice.ts";
import { addTaskOptions, type TaskFlags } from "../settings/run-flags.ts";
import type { Define } from "./command.ts";

/** The flags of `doctor`: the flags of the run that it checks. */
interface DoctorFlags extends TaskFlags {
  /** Whether the endpoint is reached, and the MCP servers are started. */
  readonly online?: true;
  readonly format: "text" | "json";
}

export const define: Define = (command, { io, end }) => {
  command.option("--online", "also reach the endpoint, without a key, and start the MCP servers");
  addTaskOptions(command)
    .addOption(textOrJson())
    .action(async (flags: DoctorFlags) => end(await doctor(flags, io)));
};

/** `problem`: it prevents a run. `warning`: a part of a run is missing or may fail. */
type Level = "ok" | "note" | "warning" | "problem";

interface Finding {
  readonly about: "versions" | "keys" | "model" | "settings" | "mcp" | "files";
  readonly level: Level;
  readonly text: string;
}

const TITLES: Readonly<Record<Finding["about"], string>> = {
  versions: "Versions",
  keys: "Keys (never shown)",
  model: "Model",
  settings: "Settings, and where each comes from",
  mcp: "MCP servers",
  files: "Files",
};

/** The oldest supported version of Node. */
const NODE_MIN = [20, 19] as const;
/** Below this free space, a warning is shown. */
const FREE_BYTES_MIN = 200_000_000;
/** Time of a program that prints its version, and of an endpoint that answers, in milliseconds. */
const ANSWER_TIMEOUT_MS = 10_000;

/** Print what a run would use, and what prevents it. Returns exit code 1 if something does. */
async function doctor(flags: DoctorFlags, io: Io): Promise<number> {
  const findings: Finding[] = [];
  const add = (about: Finding["about"], level: Level, text: string): void => {
    findings.push({ about, level, text: printable(text.trim()) });
  };
  await checkVersions(flags, io, add);
  checkKeys(io, add);
  const loaded = await attempt("settings", add, () => loadRunSettings(flags, io));
  if (loaded !== undefined) {
    checkSettings(loaded, flags, io, add);
    await checkModel(loaded, flags, io, add);
    await checkMcp(loaded, flags, io, add);
  }
  await checkFiles(flags, add);
  const problems = findings.filter(({ level }) => level === "problem").length;
  io.stdout.write(
    flags.format === "json"
      ? `${JSON.stringify({ type: "doctor", isReady: problems === 0, findings })}\n`
      : formatFindings(findings, problems),
  );
  return problems === 0 ? EXIT.done : EXIT.failed;
}

type Add = (about: Finding["about"], level: Level, text: string) => void;

/** Expected failures are problems. */
async function attempt<T>(about: Finding["about"], add: Add, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CliError || error instanceof SandboxError)) throw error;
    add(about, "problem", error.message);
    return undefined;
  }
}

async function checkVersions(flags: DoctorFlags, io: Io, add: Add): Promise<void> {
  add("versions", "ok", `signalbox ${VERSION}, ${process.platform} ${process.arch}`);
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isOld = major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]);
  add(
    "versions",
    isOld ? "problem" : "ok",
    `Node ${process.versions.node}${isOld ? `: expected ${NODE_MIN.join(".")} or later. Install a newer one.` : ""}`,
  );
  const git = await versionOf("git", io);
  if (git === undefined) add("versions", "warning", "git was not found: checkpoints need it. Install git.");
  else add("versions", "ok", git);
  const ripgrep = await versionOf(rgPath, io);
  if (ripgrep === undefined)
    add(
      "versions",
      "problem",
      `ripgrep can't be run (${rgPath}): searches need it. Install signalbox again.`,
    );
  else add("versions", "ok", ripgrep);
  const loaded = await loadRunSettings(flags, io).catch(() => undefined);
  const chromium = await chromiumOf(loaded, io);
  if (chromium === undefined)
    add("versions", "note", "Chromium was not found: the tool browser_action can't be used.");
  else add("versions", "ok", chromium);
}

const CHROMIUMS = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
] as const;

async function chromiumOf(loaded: LoadedSettings | undefined, io: Io): Promise<string | undefined> {
  const given = loaded?.settings.browser?.executable;
  for (const name of given === undefined ? CHROMIUMS : [given]) {
    const found = await versionOf(name, io);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first line of what a program prints as its version. Undefined: it can't be run. */
async function versionOf(program: string, { env }: Io): Promise<string | undefined> {
  try {
    const options = { env: { ...env }, timeout: ANSWER_TIMEOUT_MS };
    const { stdout } = await promisify(execFile)(program, ["--version"], options);
    return stdout.split("\n", 1)[0];
  } catch {
    // It is missing, or does not start.
    return undefined;
  }
}

function checkKeys({ env }: Io, add: Add): void {
  for (const [provider, { keyVariables }] of Object.entries(PROVIDERS)) {
    const set = keyVariables.filter((name) => env[name]);
    if (set.length > 0) add("keys", "ok", `${provider}: ${set.join(", ")} is set`);
    else if (keyVariables.length > 0) add("keys", "note", `${provider}: ${keyVariables.join(", ")} not set`);
  }
}

function checkSettings(loaded: LoadedSettings, flags: DoctorFlags, io: Io, add: Add): void {
  const { entries, project } = loaded;
  if (entries.length === 0)
    add(
      "settings",
      "note",
      `none: the defaults apply. Your file would be ${userSettingsFile(configFolder(io))}`,
    );
  for (const entry of entries) add("settings", "ok", formatSetting(entry));
  if (project?.isTrusted === true && Object.keys(project.texts).length > 0)
    add("settings", "ok", `${project.folder} is trusted`);
  for (const line of formatIgnored(loaded, flags.workspace).split("\n").filter(Boolean))
    add("settings", "warning", line.replace("[CLI] Warning: ", ""));
}

function formatSetting(entry: SettingEntry): string {
  const { path: names, value, origin } = masked(entry);
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  return `${names.join(".")}: ${shown}  (${origin})`.replaceAll("\n", " ");
}

async function checkModel(loaded: LoadedSettings, flags: DoctorFlags, io: Io, add: Add): Promise<void> {
  const model = await attempt("model", add, () =>
    readModel(flags, loaded, { kind: "new", id: undefined }, io),
  );
  if (model === undefined) return;
  const { provider = "anthropic", id = DEFAULT_MODEL, endpoint } = connectionOf(model);
  add(
    "model",
    "ok",
    `${provider}, ${id}${endpoint === undefined ? "" : `, at ${withoutPassword(endpoint)}`}`,
  );
  for (const { name, problem } of model.profiles)
    if (problem !== undefined) add("model", "warning", `profile ${name} can't be used: ${problem}`);
  if (endpoint === undefined) return;
  if (flags.online === true) await reach(endpoint, add);
  else add("model", "note", "not tried: --online reaches the endpoint, without a request to the model");
}

function connectionOf({ provider, id, baseURL, profile, environment }: ModelSettings) {
  const used = provider ?? profile?.provider ?? "anthropic";
  const endpoint =
    used === "mock"
      ? undefined
      : (baseURL ?? profile?.endpoint ?? environment[used].baseURL ?? PROVIDERS[used].publicApi);
  return { provider: used, id: id ?? profile?.model, endpoint };
}

/** A URL without the name and the password that it may have. */
function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//");
}

/** Any response shows that the endpoint is there. No key is sent. */
async function reach(endpoint: string, add: Add): Promise<void> {
  const shown = withoutPassword(endpoint);
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const { status } = await proxiedFetch(shown, { signal, redirect: "manual" });
    add("model", "ok", `${shown} answers (HTTP ${status}). The key is not tried.`);
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    add(
      "model",
      "problem",
      `${shown} can't be reached: ${errorMessage(cause)}. Check the network and the proxy.`,
    );
  }
}

async function checkMcp(loaded: LoadedSettings, flags: DoctorFlags, io: Io, add: Add): Promise<void> {
  const { servers, problems, cwd } = runMcpServers(loaded, flags.workspace, io);
  for (const problem of problems) add("mcp", "warning", problem);
  const names = Object.keys(servers);
  if (names.length === 0) add("mcp", "note", "none");
  else if (flags.online !== true)
    for (const name of names) add("mcp", "note", `${name}: not started. --online starts it.`);
  else {
    const mcp = await connectMcp({ servers, cwd, logins: mcpLogins(configFolder(io)) });
    for (const status of mcp.status)
      add("mcp", status.state === "ready" ? "ok" : "warning", formatMcpStatus(status));
    await mcp.close();
  }
  await checkCommands(loaded, io, add);
}

async function checkCommands(loaded: LoadedSettings, io: Io, add: Add): Promise<void> {
  const shell = await attempt("settings", add, () => withSettingsErrors(() => selectShell(loaded)));
  if (shell === undefined) return;
  const program = shell.path ?? "the system's shell";
  const { commands } = selectSandbox(loaded, configFolder(io));
  if (commands === undefined) add("settings", "note", `commands run in ${program}, without a sandbox`);
  else if ((await attempt("settings", add, isSandboxProven)) === true)
    add("settings", "ok", `commands run in ${program}, in a sandbox`);
}

/** Throws if no sandbox can be created here. */
async function isSandboxProven(): Promise<true> {
  await assertSandbox();
  return true;
}

async function checkFiles({ workspace = ".", dataDir }: DoctorFlags, add: Add): Promise<void> {
  const folder = path.resolve(workspace);
  const stats = await stat(folder).catch(() => undefined);
  if (stats?.isDirectory() !== true)
    add("files", "problem", `the workspace ${folder} is not a folder. Name another with -w.`);
  else if (!(await isWritable(folder)))
    add("files", "warning", `the workspace ${folder} can't be written: tasks can only read it`);
  else add("files", "ok", `workspace ${folder}`);
  const data = path.resolve(dataDir);
  const existing = await nearestFolder(data);
  const isFolder = (await stat(existing)).isDirectory();
  if (!isFolder || !(await isWritable(existing))) {
    const what = isFolder ? "can't be written" : "is not a folder";
    add("files", "problem", `the data directory ${data} ${what}. Give another one with --data-dir.`);
    return;
  }
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const size =
    existing === data
      ? `${formatTasks((await openHistory({ dataDir }).ids()).length)}, ${formatBytes(await sizeOf(data))}`
      : "not created yet";
  const isFull = free < FREE_BYTES_MIN;
  add("files", isFull ? "warning" : "ok", `data directory ${data}: ${size}, ${formatBytes(free)} free`);
}

const formatTasks = (count: number): string => (count === 1 ? "1 task" : `${count} tasks`);

/** The folder, or the first above it that exists. */
async function nearestFolder(folder: string): Promise<string> {
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  return exists || path.dirname(folder) === folder ? folder : nearestFolder(path.dirname(folder));
}

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  // A task may be deleted while the list is read.
  const sizes = files.map((file) => stat(path.join(file.parentPath, file.name)).catch(() => ({ size: 0 })));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} kB`;
  return bytes < 1_000_000_000 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

function formatFindings(findings: readonly Finding[], problems: number): string {
  const parts = Object.entries(TITLES).map(([about, title]) => {
    const lines = findings.filter((finding) => finding.about === about).map(formatFinding);
    return lines.length === 0 ? "" : `${title}\n${lines.join("")}\n`;
  });
  const end =
    problems === 0
      ? "Nothing prevents a run."
      : `${problems === 1 ? "1 problem prevents" : `${problems} problems prevent`} a run.`;
  return `${parts.join("")}${end}\n`;
}

function formatFinding({ level, text }: Finding): string {
  const [first = "", ...rest] = text.split("\n");
  return [`  ${level.padEnd(8)} ${first}`, ...rest.map((line) => `${" ".repeat(11)}${line}`), ""].join("\n");
}
