import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PRIVATE_FILE } from "../../../store/files/index.ts";
import { CliError } from "../../error.ts";

export interface ProgramOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the program. */
  readonly signal: AbortSignal;
}

/**
 * Edit a text in the user's editor: `VISUAL`, else `EDITOR`, else vi. A line end that the editor added is removed.
 *
 * @throws CliError where the editor can't be run, or ends with an error
 */
export async function editText(text: string, options: ProgramOptions): Promise<string> {
  const { VISUAL, EDITOR } = options.env;
  const editor = VISUAL || EDITOR || (process.platform === "win32" ? "notepad" : "vi");
  const advice = "The text is as it was. Set VISUAL or EDITOR to the command of your editor.";
  const edited = await withFile(text, async (file) => {
    await runOnFile(editor, file, options, advice);
    return readFile(file, "utf8");
  });
  return text.endsWith("\n") ? edited : edited.replace(/\r?\n$/, "");
}

/** Show a text in the pager of the user: `PAGER`, else less. Returns false if there is none. */
export async function pageText(text: string, options: ProgramOptions): Promise<boolean> {
  const pager = options.env.PAGER || (process.platform === "win32" ? "more" : "less");
  try {
    await withFile(text, (file) =>
      runOnFile(pager, file, options, "Set PAGER to the command of your pager."),
    );
    return true;
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}

async function withFile<T>(text: string, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-text-"));
  try {
    const file = path.join(folder, "text.md");
    await writeFile(file, text, { mode: PRIVATE_FILE });
    return await use(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The command may have arguments: a shell runs it. */
async function runOnFile(
  command: string,
  file: string,
  { env, signal }: ProgramOptions,
  advice: string,
): Promise<void> {
  const isWindows = process.platform === "win32";
  const shell = isWindows ? (env.ComSpec ?? "cmd.exe") : "/bin/sh";
  const args = isWindows
    ? ["/d", "/s", "/c", `"${command} "${file}""`]
    : ["-c", `${command} "$1"`, "sh", file];
  const end = await new Promise<string>((resolve) => {
    const child = spawn(shell, args, {
      stdio: "inherit",
      env: { ...env },
      signal,
      windowsVerbatimArguments: isWindows,
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
