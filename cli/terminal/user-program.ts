import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createOutputBuffer } from "../../adapters/shell/output-buffer.ts";
import { PRIVATE_FILE } from "../../store/files/data-folder.ts";
import { decodeText, EXPECTED_TEXT } from "../../tools/text-encoding.ts";
import { CliError } from "../error.ts";
import type { Io, Output } from "../io.ts";

/** Maximum bytes of an edited text. */
const EDITED_MAX_BYTES = 1_000_000;
/** Maximum bytes kept of a command's output: half of them from its start, half from its end. */
const OUTPUT_MAX_BYTES = 16_000;
/** Wait for output after the end of a command, in milliseconds. */
const OUTPUT_WAIT_MS = 500;
const IS_WINDOWS = process.platform === "win32";
const UNCHANGED = "The text is as it was.";

export interface ProgramOptions {
  readonly env: Io["env"];
  /** Terminates the program. */
  readonly signal: AbortSignal;
}

/** Editors that are used where the user named none, in this order. */
const EDITORS = IS_WINDOWS ? ["notepad"] : ["vi", "vim", "nvim", "nano", "emacs"];

/** The user's editor: `VISUAL`, else `EDITOR`, else the first usual one that is installed. */
function editorIn({ VISUAL, EDITOR, PATH = "" }: Io["env"]): string {
  const named = VISUAL?.trim() || EDITOR?.trim();
  if (named) return named;
  const folders = PATH.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const isInstalled = (name: string): boolean =>
    folders.some((folder) => existsSync(path.join(folder, name)));
  return EDITORS.find(isInstalled) ?? EDITORS[0] ?? "vi";
}

/**
 * Edit a text in the user's editor, else in one that is installed. A line end that the editor added is removed. The file has the mode 0600, in
 * a folder of its own that is removed afterwards.
 *
 * @throws CliError where the editor can't be run, ends with an error, or leaves no text or more than 1 MB
 */
export async function editText(text: string, fileName: string, options: ProgramOptions): Promise<string> {
  const editor = editorIn(options.env);
  const advice = `${UNCHANGED} Set VISUAL or EDITOR to the command of your editor.`;
  const edited = await withFile(text, fileName, async (file) => {
    await runOnFile(editor, file, options, advice);
    return readEdited(file);
  });
  return text.endsWith("\n") ? edited : edited.replace(/\r?\n$/, "");
}

/** Show a text in the pager of the user: `PAGER`, else less. Returns false if there is none. */
export async function pageText(text: string, options: ProgramOptions): Promise<boolean> {
  const pager = options.env.PAGER || (IS_WINDOWS ? "more" : "less");
  try {
    await withFile(text, "text.md", (file) =>
      runOnFile(pager, file, options, "Set PAGER to the command of your pager."),
    );
    return true;
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}

async function readEdited(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > EDITED_MAX_BYTES)
    throw new CliError(
      `the edited text has ${size} bytes: expected at most ${EDITED_MAX_BYTES}. ${UNCHANGED}`,
    );
  const edited = decodeText(await readFile(file));
  if (edited === undefined)
    throw new CliError(`the edited text is not UTF-8: expected ${EXPECTED_TEXT}. ${UNCHANGED}`);
  return edited;
}

async function withFile<T>(text: string, name: string, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-text-"));
  try {
    const file = path.join(folder, name);
    await writeFile(file, text, { mode: PRIVATE_FILE });
    return await use(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The end of a command of the user, with the start and the end of its output. */
export interface CommandEnd {
  /** Such as `Exit code 0`. */
  readonly end: string;
  readonly output: string;
}

/** Run a command of the user in a folder, and write its output to the terminal. */
export function runCommand(
  command: string,
  folder: string,
  { env, signal }: ProgramOptions,
  stdout: Output,
): Promise<CommandEnd> {
  const shell = IS_WINDOWS ? (env.ComSpec ?? "cmd.exe") : "/bin/sh";
  const args = IS_WINDOWS ? ["/d", "/s", "/c", `"${command}"`] : ["-c", `trap : INT; ${command}`];
  const buffer = createOutputBuffer({ maxBytes: OUTPUT_MAX_BYTES, file: undefined, maxFileBytes: 0 });
  let last = "\n";
  return new Promise((resolve) => {
    const child = spawn(shell, args, {
      cwd: folder,
      signal,
      env: { ...env },
      stdio: ["inherit", "pipe", "pipe"],
      windowsVerbatimArguments: IS_WINDOWS,
    });
    const finish = (end: string): void => {
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
      if (last !== "\n") stdout.write("\n");
      resolve({ end: `${end.slice(0, 1).toUpperCase()}${end.slice(1)}`, output: buffer.end().output });
    };
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        buffer.add(chunk);
        last = chunk.toString("latin1").slice(-1);
        if (stdout.write(chunk)) return;
        stream.pause();
        stdout.once("drain", () => stream.resume());
      });
    const formatted = (code: number | null, killedBy: NodeJS.Signals | null): string =>
      formatEnd(code, killedBy) || "exit code 0";
    child.on("error", ({ message }) => finish(message));
    child.on("close", (code, killedBy) => finish(formatted(code, killedBy)));
    // A process that it left in the background may keep the output open.
    child.on("exit", (code, killedBy) =>
      setTimeout(() => finish(formatted(code, killedBy)), OUTPUT_WAIT_MS).unref(),
    );
  });
}

/** The command may have arguments: a shell runs it, and ignores the interrupts that are for the program. */
async function runOnFile(
  command: string,
  file: string,
  { env, signal }: ProgramOptions,
  advice: string,
): Promise<void> {
  const shell = IS_WINDOWS ? (env.ComSpec ?? "cmd.exe") : "/bin/sh";
  const args = IS_WINDOWS
    ? ["/d", "/s", "/c", `"${command} "${file}""`]
    : ["-c", `trap : INT; ${command} "$1"`, "sh", file];
  const end = await endOf(shell, args, { env, signal });
  if (end !== "") throw new CliError(`'${command}' failed: ${end}. ${advice}`);
}

/** Run a program on the terminal. Resolves with how it failed; empty for success. */
const endOf = (program: string, args: readonly string[], options: ProgramOptions): Promise<string> =>
  new Promise((resolve) => {
    const child = spawn(program, args, {
      ...options,
      stdio: "inherit",
      env: { ...options.env },
      windowsVerbatimArguments: IS_WINDOWS,
    });
    child.on("error", ({ message }) => resolve(message));
    child.on("close", (code, killedBy) => resolve(formatEnd(code, killedBy)));
  });

/** Empty for success. */
function formatEnd(code: number | null, killedBy: NodeJS.Signals | null): string {
  if (killedBy !== null) return `it was ended by ${killedBy}`;
  return code === 0 ? "" : `exit code ${code}`;
}
