import { homedir } from "node:os";
import path from "node:path";

const DEFAULT_DATA_DIR = path.join(homedir(), ".signalbox");

/** Format a command line that a user can copy, with the data directory if it is not the default. */
export function formatCommandLine(args: readonly string[], dataDir: string): string {
  const option = path.resolve(dataDir) === DEFAULT_DATA_DIR ? [] : ["--data-dir", dataDir];
  return ["signalbox", ...args, ...option].map(quoteArgument).join(" ");
}

/** Quote an argument for a shell. */
export const quoteArgument = (word: string): string =>
  /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
