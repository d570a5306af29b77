import type { z } from "zod";

/** Reason why a value from a file or another process is invalid. */
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

/** A value from a file or another process that does not have the expected form. */
export class WireError extends Error {
  readonly code: WireErrorCode;
  /** Origin of the value, as given by the caller: `line 3 of ui_messages.json`. */
  readonly source: string;
  /** Path in the value: `message.images[0]`; empty for the value itself. */
  readonly path: string;

  constructor(code: WireErrorCode, source: string, path: string, problem: string, options?: ErrorOptions) {
    super(`${source}${path && `, at ${path}`}: ${problem}`, options);
    this.name = "WireError";
    this.code = code;
    this.source = source;
    this.path = path;
  }
}

/** Maximum characters of an invalid value in an error. */
const EXCERPT_CHARACTERS = 80;

/** Format a value as JSON, shortened for an error. */
export function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text;
}

/** Format `["message", "images", 0]` as `message.images[0]`. */
export const formatPath = (path: z.core.$ZodIssue["path"]): string =>
  path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index > 0 ? "." : ""}${String(key)}`))
    .join("");
