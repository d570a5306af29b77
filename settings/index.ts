export { type DocumentOptions, parseDocument, readDocument, type SettingsDocument } from "./document.ts";
export { SettingsError, type SettingsErrorCode } from "./error.ts";
export { readModes } from "./modes/index.ts";
export { readTextFile, SETTINGS_BYTES_MAX, type TextFileOptions } from "./text-file.ts";
