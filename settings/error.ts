import { SignalboxError } from "../machines/signalbox-error.ts";

/** Reason why settings cannot be used. */
export type SettingsErrorCode =
  /** A file does not match its schema. Correct the lines that the message names. */
  | "bad_settings"
  /** The file is too large, not a regular file, or outside the project. Replace it by a file as the message says. */
  | "unreadable_settings"
  /** Others can read or change the file of keys. Make it private: `chmod 600`. */
  | "keys_exposed"
  /** No profile has this name. Name one of the message. */
  | "unknown_profile"
  /** No policy over time has this name. Name one of the message, or a file. */
  | "unknown_policy"
  /** The key of a profile is not set. Set its variable, or add it to the file of keys. */
  | "no_key"
  /** The shell does not exist. Correct the setting `shell`. */
  | "no_shell";

/** An expected failure of settings: what was expected, what came, what to do. */
export class SettingsError extends SignalboxError {
  readonly code: SettingsErrorCode;
  constructor(code: SettingsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SettingsError";
    this.code = code;
  }
}
