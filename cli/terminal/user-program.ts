import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PRIVATE_FILE } from "../../store/files/data-folder.ts";
import { decodeText, EXPECTED_TEXT } from "../../tools/text-encoding.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";

/** Maximum bytes of an edited text. */
const EDITED_MAX_BYTES = 1_000_000;
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

/** Run a command of the user, and return how it ended. */
export async function runCommand(
  command: string,
  folder: string,
  { env, signal }: ProgramOptions,
): Promise<string> {
  const shell = IS_WINDOWS ? (env.ComSpec ?? "cmd.exe") : "/bin/sh";
  const args = IS_WINDOWS ? ["/d", "/s", "/c", `"${command}"`] : ["-c", `trap : INT; ${command}`];
  const end = await endOf(shell, args, { env, signal, cwd: folder });
  return end === "" ? "Exit code 0" : `${end.slice(0, 1).toUpperCase()}${end.slice(1)}`;
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
const endOf = (
  program: string,
  args: readonly string[],
  options: ProgramOptions & { readonly cwd?: string },
): Promise<string> =>
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
