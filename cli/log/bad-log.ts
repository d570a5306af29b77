import { CliError } from "../error.ts";

/** What a file that is no log should have been. */
const KINDS =
  "a JSON array or lines of rows ({ts, type, ...}), of entries ({role, content}) or of changes ({type: message.appended, ...}), or a journal";
const QUOTED_CHARACTERS = 60;

/** A file, or a part of it, that is no log. `where` names the place in it. */
export function badLog(file: string, where: string, came: unknown, expected: string = KINDS): CliError {
  const text = typeof came === "string" ? came : (JSON.stringify(came) ?? String(came));
  const cut = text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text;
  return new CliError(
    `${file}, ${where}: expected ${expected}, got ${cut === "" ? "nothing" : cut}. Give a recorded log, or mend this place.`,
  );
}

/** The place of a character of a text, as people and programs look for it: line from 1, byte from 0. */
export function placeOf(text: string, character: number): string {
  const before = text.slice(0, character);
  return `line ${before.split("\n").length} (byte ${Buffer.byteLength(before)})`;
}
