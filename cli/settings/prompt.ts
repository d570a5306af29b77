import { fstatSync } from "node:fs";
import { CliError, errorMessage } from "../error.ts";
import type { Io } from "../io.ts";
import { decodeUserText, readUserText } from "../text-file.ts";

/** Maximum characters of a prompt from a file or stdin. */
const PROMPT_CHARS_MAX = 1_000_000;
/** Longest wait for the first byte of stdin where it is neither a pipe nor a file, in milliseconds. */
const FIRST_BYTE_MS = 3_000;

/** Where the prompt of a run comes from. */
export interface PromptSources {
  readonly argument: string | undefined;
  readonly file: string | undefined;
  /** Whether a prompt is required: then stdin is read if there is no other. */
  readonly isNeeded: boolean;
  /** Whether the text on stdin is added to another prompt. */
  readonly takesInput: boolean;
}

/** Read the prompt. Undefined where the user is asked for it. @throws CliError */
export async function readPrompt(
  { argument, file, isNeeded, takesInput }: PromptSources,
  io: Pick<Io, "stdin" | "stderr">,
): Promise<string | undefined> {
  if (argument !== undefined && file !== undefined)
    throw new CliError("both a prompt and --prompt-file were given: expected one of them. Leave one out.");
  const prompt = file === undefined ? argument : await readPromptFile(file);
  if (prompt !== undefined) {
    if (prompt.trim() === "") throw new CliError("the prompt is empty. Describe the task.");
    return takesInput ? withInput(prompt, await readInput(io)) : prompt;
  }
  if (!isNeeded) return undefined;
  const piped = io.stdin.isTTY === true ? "" : await readAll(io.stdin);
  if (piped.trim() === "")
    throw new CliError("no prompt: expected one as an argument, in --prompt-file, or on stdin.");
  return piped;
}

const withInput = (prompt: string, input: string): string =>
  input.trim() === "" ? prompt : validateLength(`${prompt}\n\n${input.trimEnd()}`);

async function readPromptFile(file: string): Promise<string> {
  try {
    return validateLength(await readUserText(file));
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`--prompt-file can't be read: ${errorMessage(error)}. Give a text file.`, {
      cause: error,
    });
  }
}

/** Read stdin beside a prompt. A program may hold a socket open without ever writing to it. */
async function readInput({ stdin, stderr }: Pick<Io, "stdin" | "stderr">): Promise<string> {
  if (stdin.isTTY === true) return "";
  if (isPipeOrFile(stdin) || (await hasBegun(stdin))) return readAll(stdin);
  stderr.write(
    `[CLI] Warning: stdin had no text after ${FIRST_BYTE_MS / 1_000} s, and is not read. To avoid the wait, close it: < /dev/null\n`,
  );
  return "";
}

function isPipeOrFile(stdin: Io["stdin"]): boolean {
  if (!("fd" in stdin) || typeof stdin.fd !== "number") return false;
  const stats = fstatSync(stdin.fd);
  return stats.isFIFO() || stats.isFile();
}

/** Whether text or the end comes in time. */
function hasBegun(stdin: Io["stdin"]): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (hasCome: boolean): void => {
      clearTimeout(timer);
      for (const event of ["readable", "end", "error"]) stdin.off(event, onInput);
      resolve(hasCome);
    };
    const onInput = (): void => end(true);
    const timer = setTimeout(() => end(false), FIRST_BYTE_MS);
    for (const event of ["readable", "end", "error"]) stdin.on(event, onInput);
  });
}

async function readAll(stdin: Io["stdin"]): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece);
    size += bytes.length;
    pieces.push(bytes);
    if (size > PROMPT_CHARS_MAX * 4) break;
  }
  return validateLength(decodeUserText(Buffer.concat(pieces), "stdin"));
}

function validateLength(prompt: string): string {
  if (prompt.length <= PROMPT_CHARS_MAX) return prompt;
  throw new CliError(
    `the prompt has ${prompt.length} characters: expected at most ${PROMPT_CHARS_MAX}. Move the rest to a file in the workspace.`,
  );
}
