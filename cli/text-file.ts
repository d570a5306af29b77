import { readFile } from "node:fs/promises";
import { decodeForDisplay, decodeText, EXPECTED_TEXT, withoutMark } from "../tools/text-encoding.ts";
import { CliError } from "./error.ts";

/** Read a whole text file that the user named. @throws CliError for one that is not text; the error of the system */
export async function readUserText(file: string): Promise<string> {
  return decodeUserText(await readFile(file), file);
}

/** Read a recorded log. Invalid bytes become U+FFFD: only a part of it may be damaged. */
export async function readLogText(file: string): Promise<string> {
  const bytes = await readFile(file);
  return withoutMark(decodeText(bytes) ?? decodeForDisplay(bytes));
}

/** Decode a text of the user. @param what where it comes from, for the error @throws CliError for one that is not text */
export function decodeUserText(bytes: Uint8Array, what: string): string {
  const text = decodeText(bytes);
  if (text === undefined)
    throw new CliError(`${what} is not text: expected ${EXPECTED_TEXT}. Save it as UTF-8.`);
  return withoutMark(text);
}
