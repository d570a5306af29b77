import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFailed, onTestFinished } from "vitest";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";
import { startMock } from "../../../testing/mock/server/server.ts";
import type { Installed } from "../installed.ts";
import { Process } from "../process.ts";
import { PseudoTerminal, type PseudoTerminalOptions } from "./pseudo-terminal.ts";

export interface PseudoRunOptions extends Partial<Omit<PseudoTerminalOptions, "cwd">> {
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

/** `signalbox run` on a pseudo-terminal, in a project of its own, with a model that responds from a script. */
export async function openPseudoRun(box: Installed, script: string, options: PseudoRunOptions = {}) {
  const { files = {}, config = {}, args = [], isTrusted = false, env, ...size } = options;
  const prompt = "prompt" in options ? options.prompt : "Go";
  const workspace = box.newFolder();
  const home = box.newFolder();
  const data = path.join(home, "data");
  const write = (name: string, text: string, folder = workspace): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  for (const [name, text] of Object.entries(config)) write(name, text, path.join(home, "signalbox"));
  /** A command with no input, to its end. */
  const does = async (...rest: readonly string[]) => {
    const process = new Process(box.bin, rest, { cwd: workspace, env: { XDG_CONFIG_HOME: home } });
    return { code: await process.end(), stdout: process.stdout, stderr: process.stderr };
  };
  if (isTrusted) await does("config", "trust", "--yes");
  const mock = await startMock(parseScript(script));
  const where = ["--base-url", mock.url, "--data-dir", data, ...args];
  const terminals: PseudoTerminal[] = [];
  const open = (rest: readonly string[]): PseudoTerminal => {
    const opened = new PseudoTerminal(box.bin, ["run", ...where, ...rest], {
      cwd: workspace,
      env: { XDG_CONFIG_HOME: home, ANTHROPIC_API_KEY: "sk-test-0123456789", ...env },
      ...size,
    });
    terminals.push(opened);
    return opened;
  };
  const terminal = open(prompt === undefined ? [] : [prompt]);
  onTestFailed(() => {
    for (const [index, { text }] of terminals.entries())
      console.error([`Terminal ${index + 1} showed:`, ...text].join("\n"));
  });
  onTestFinished(async () => {
    for (const opened of terminals) opened.hangUp();
    await Promise.all(terminals.map(({ code }) => code));
    await mock.close();
  });
  const taskIds = (): readonly string[] => readdirSync(path.join(data, "tasks"));
  return {
    terminal,
    /** Another run in the same place, with these arguments. */
    again: open,
    workspace,
    data,
    does,
    write,
    read: (name: string): string => readFileSync(path.join(workspace, name), "utf8"),
    taskIds,
    /** The journal of the only task. */
    journal: (): string => readFileSync(path.join(data, "tasks", taskIds().join(), "journal.jsonl"), "utf8"),
    /** What the model was sent, as text, one entry for each request. */
    bodies: (): readonly string[] => mock.requests.map(({ body }) => JSON.stringify(body)),
  };
}

/** The bytes that a terminal sends for pasted text. */
export const pasted = (text: string): string => `\x1b[200~${text.replaceAll("\n", "\r")}\x1b[201~`;
