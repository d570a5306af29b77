import path from "node:path";
import { pathToFileURL } from "node:url";
import { CliError, errorMessage } from "./error.ts";

/** Load a module of the user. @param flag names the option in the error @throws CliError for one that can't be loaded */
export async function loadUserModule(file: string, flag: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(path.resolve(file)).href);
    return module;
  } catch (error) {
    throw new CliError(`${flag}: can't load ${file}: ${errorMessage(error)}`, { cause: error });
  }
}
