import { homedir } from "node:os";
import path from "node:path";
import { Option } from "commander";

// Options that several commands have.

export const DATA_DIR = [
  "--data-dir <dir>",
  "data directory (journals, task history)",
  path.join(homedir(), ".signalbox"),
] as const;

/** The folder whose project settings a command shows or changes. */
export const PROJECT_FOLDER = [
  "-w, --workspace <dir>",
  "workspace whose project settings are meant (default: this folder)",
] as const;

export const textOrJson = (): Option =>
  new Option("--format <format>", "output format").choices(["text", "json"]).default("text");
