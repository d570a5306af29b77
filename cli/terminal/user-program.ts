import { isUtf8 } from "node:buffer";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PRIVATE_FILE } from "../../store/files/index.ts";
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

/** The user's editor: `VISUAL`, else `EDITOR`. */
export const editorIn = ({ VISUAL, EDITOR }: Io["env"]): string | undefined =>
  VISUAL?.trim() || EDITOR?.trim() || undefined;

/**
 * Edit a text in the user's editor, else vi. A line end that the editor added is removed. The file has the mode 0600, in
 * a folder of its own that is removed afterwards.
 *
 * @throws CliError where the editor can't be run, ends with an error, or leaves no UTF-8 or more than 1 MB
 */
export async function editText(text: string, fileName: string, options: ProgramOptions): Promise<string> {
  const editor = editorIn(options.env) ?? (IS_WINDOWS ? "notepad" : "vi");
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
  const bytes = await readFile(file);
  if (!isUtf8(bytes)) throw new CliError(`the edited text is not UTF-8. ${UNCHANGED}`);
  return bytes.toString("utf8");
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
  const end = await new Promise<string>((resolve) => {
    const child = spawn(shell, args, {
      stdio: "inherit",
      env: { ...env },
      signal,
      windowsVerbatimArguments: IS_WINDOWS,
    });
    child.on("error", ({ message }) => resolve(message));
    child.on("close", (code, killedBy) => resolve(formatEnd(code, killedBy)));
  });
  if (end !== "") throw new CliError(`'${command}' failed: ${end}. ${advice}`);
}

/** Empty for success. */
function formatEnd(code: number | null, killedBy: NodeJS.Signals | null): string {
  if (killedBy !== null) return `it was ended by ${killedBy}`;
  return code === 0 ? "" : `exit code ${code}`;
}
