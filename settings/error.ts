import { SignalboxError } from "../machines/signalbox-error.ts";

/** Reason why settings cannot be used. */
export type SettingsErrorCode =
  /** A file does not match its schema. Correct the lines that the message names. */
  | "SETTINGS_INVALID"
  /** The file is too large, not a regular file, or outside the project. Replace it by a file as the message says. */
  | "SETTINGS_UNREADABLE"
  /** Others can read or change the file of keys. Make it private: `chmod 600`. */
  | "KEYS_EXPOSED"
  /** No profile has this name. Name one of the message. */
  | "PROFILE_UNKNOWN"
  /** No policy over time has this name. Name one of the message, or a file. */
  | "POLICY_UNKNOWN"
  /** The key of a profile is not set. Set its variable, or add it to the file of keys. */
  | "NO_KEY"
  /** The shell does not exist. Correct the setting `shell`. */
  | "NO_SHELL";

/** An expected failure of settings: what was expected, what came, what to do. */
export class SettingsError extends SignalboxError {
  readonly code: SettingsErrorCode;
  constructor(code: SettingsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SettingsError";
    this.code = code;
  }
}
