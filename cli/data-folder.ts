import { createFolder } from "../store/files/create-folder.ts";
import { PRIVATE_FOLDER } from "../store/files/data-folder.ts";
import { CliError, errorMessage } from "./error.ts";

/** Create the data directory, unless it exists. @throws CliError where that fails */
export function createDataFolder(dataDir: string): void {
  try {
    createFolder(dataDir, PRIVATE_FOLDER);
  } catch (error) {
    throw new CliError(
      `can't create the data directory ${dataDir}: ${errorMessage(error)}. Give another one with --data-dir.`,
      { cause: error },
    );
  }
}
