import { CliError } from "../error.ts";

/** The formats of a recorded log. */
const KINDS =
  "a JSON array or JSON lines of messages ({ts, type, ...}), conversation entries ({role, content}) or log events ({type: message.appended, ...}), or a journal";
const QUOTED_CHARACTERS = 60;

/** The error for a file, or a part of it, that is no log. `where` names the position in it. */
export function logError(file: string, where: string, came: unknown, expected: string = KINDS): CliError {
  const text = typeof came === "string" ? came : (JSON.stringify(came) ?? String(came));
  const cut = text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text;
  return new CliError(
    `${file}, ${where}: expected ${expected}, got ${cut === "" ? "nothing" : cut}. Give a recorded log, or fix this place.`,
  );
}

/** Format the position of a character of a text: line from 1, byte from 0. */
export function formatPosition(text: string, character: number): string {
  const before = text.slice(0, character);
  return `line ${before.split("\n").length} (byte ${Buffer.byteLength(before)})`;
}
