import type { z } from "zod";

/** Form that a value from a file or another process does not have. */
export type WireErrorCode =
  /** The text is not JSON. Correct it at the named place. */
  | "INVALID_JSON"
  /** The value is not a message or list of messages. Correct it at the named place. */
  | "INVALID_MESSAGE"
  /** The value is not a change of a log. Correct it at the named place. */
  | "INVALID_LOG_EVENT"
  /** The value is not an entry of a conversation. Correct it at the named place. */
  | "INVALID_ENTRY"
  /** The value is not a change of a conversation. Correct it at the named place. */
  | "INVALID_CONVERSATION_EVENT";

/** Something that came from a file or another process does not have the form that it must have. */
export class WireError extends Error {
  readonly code: WireErrorCode;
  /** Where it was read, in the words of whoever read it: `line 3 of ui_messages.json`. */
  readonly place: string;
  /** Where in the value: `message.images[0]`; empty for the value itself. */
  readonly path: string;

  constructor(code: WireErrorCode, place: string, path: string, problem: string, options?: ErrorOptions) {
    super(`${place}${path && `, at ${path}`}: ${problem}`, options);
    this.name = "WireError";
    this.code = code;
    this.place = place;
    this.path = path;
  }
}

/** How much of a value that can't be read is shown in an error. */
const SHOWN_CHARACTERS = 80;

/** `value` as JSON, cut to a length that people read. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/** `["message", "images", 0]` as `message.images[0]`. */
export const pathOf = (path: z.core.$ZodIssue["path"]): string =>
  path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index > 0 ? "." : ""}${String(key)}`))
    .join("");
