import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { parseScript, startMock } from "../../../testing/mock/index.ts";
import type { Installed } from "../installed.ts";
import { Process } from "../process.ts";
import { PseudoTerminal } from "./pseudo-terminal.ts";

export interface PseudoRunOptions {
  /** Files of the workspace, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files of the user's folder. */
  readonly config?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Undefined: the user is asked for it. Default `Go`. */
  readonly prompt?: string | undefined;
  /** Whether the project is trusted before. */
  readonly isTrusted?: boolean;
}

/** `run` on a pseudo-terminal and a script, in a project of its own. */
export async function openPseudoRun(box: Installed, script: string, options: PseudoRunOptions = {}) {
  const { files = {}, config = {}, args = [], isTrusted = false } = options;
  const prompt = "prompt" in options ? options.prompt : "Go";
  const workspace = box.newFolder();
  const home = box.newFolder();
  const data = path.join(home, "data");
  const env = { XDG_CONFIG_HOME: home };
  const write = (name: string, text: string, folder = workspace): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  for (const [name, text] of Object.entries(config)) write(name, text, path.join(home, "signalbox"));
  /** A command with no input, to its end. */
  const does = async (...rest: readonly string[]) => {
    const process = new Process(box.bin, rest, { cwd: workspace, env });
    return { code: await process.end(), stdout: process.stdout, stderr: process.stderr };
  };
  if (isTrusted) await does("config", "trust", "--yes");
  const mock = await startMock(parseScript(script));
  const where = ["--base-url", mock.url, "--data-dir", data, ...args];
  const terminal = new PseudoTerminal(box.bin, ["run", ...where, ...(prompt === undefined ? [] : [prompt])], {
    cwd: workspace,
    env: { ...env, ANTHROPIC_API_KEY: "sk-test-0123456789" },
  });
  onTestFinished(async () => {
    terminal.hangUp();
    await terminal.code;
    await mock.close();
  });
  return {
    terminal,
    workspace,
    data,
    does,
    write,
    read: (name: string): string => readFileSync(path.join(workspace, name), "utf8"),
    taskIds: (): readonly string[] => readdirSync(path.join(data, "tasks")),
    bodies: (): string => JSON.stringify(mock.requests.map(({ body }) => body)),
  };
}
