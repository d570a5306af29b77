import { homedir } from "node:os";
import path from "node:path";
import { quoted } from "../quoted.ts";

const DEFAULT_DATA_DIR = path.join(homedir(), ".signalbox");

/** A command line that a person can copy. The data folder is named where it is not the usual one. */
export function commandLine(words: readonly string[], dataDir: string): string {
  const place = path.resolve(dataDir) === DEFAULT_DATA_DIR ? [] : ["--data-dir", dataDir];
  return ["signalbox", ...words, ...place].map(quoted).join(" ");
}
