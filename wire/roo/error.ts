import { SignalboxError } from "../../machines/signalbox-error.ts";
import { excerpt } from "../excerpt.ts";

/** The files of a Roo Code task folder. */
export const ROO_FILES = {
  /** The messages of the log. */
  ui: "ui_messages.json",
  /** The API conversation. */
  api: "api_conversation_history.json",
  /** The summary. */
  history: "history_item.json",
} as const;

export type RooFile = (typeof ROO_FILES)[keyof typeof ROO_FILES];

/** Reason why a Roo Code task folder cannot be imported or exported. */
export type ExchangeErrorCode =
  /** A file is not a JSON array. Restore it from a copy, or leave it out. */
  | "EXCHANGE_INVALID"
  /** Neither the messages nor the conversation of a task exist. Give the folder of one task. */
  | "EXCHANGE_MISSING"
  /** The folder has no messages and entries, or there is no task to export. Check the folder or the id. */
  | "EXCHANGE_EMPTY"
  /** A file exceeds `fileBytesMax` bytes (default 256 MiB). Raise it, or remove messages. */
  | "EXCHANGE_TOO_LARGE"
  /** A file of that name exists. Choose another folder, or use `force`. */
  | "EXCHANGE_EXISTS"
  /** The folder cannot be read or written. Check it and its permissions. */
  | "EXCHANGE_IO";

/** A Roo Code task folder could not be imported or exported. */
export class ExchangeError extends SignalboxError {
  readonly code: ExchangeErrorCode;

  constructor(code: ExchangeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ExchangeError";
    this.code = code;
  }
}

/** Create the error for a value that is not a list. */
export const notAList = (file: string, value: unknown): ExchangeError =>
  new ExchangeError(
    "EXCHANGE_INVALID",
    `${file}: expected a JSON array, got ${excerpt(value)}. Restore the file from a copy, or leave it out.`,
  );

/** Create the error for a text that is not JSON. */
export const notJson = (file: string, text: string, cause: unknown): ExchangeError =>
  new ExchangeError(
    "EXCHANGE_INVALID",
    `${file}: expected a JSON array, got text that is not JSON: ${excerpt(text)}. Restore the file from a copy, or leave it out.`,
    { cause },
  );
