import { ToolError } from "../../tools/error.ts";

// A bundler takes an import that is caught for an optional one: without the package, the bundle is made nevertheless.
const importPackage = () =>
  import("playwright-core").catch((error: unknown) => {
    throw error;
  });

/** Load the optional package that drives Chromium. @throws ToolError `not_installed` */
export async function loadPlaywright(load: typeof importPackage = importPackage) {
  try {
    return await load();
  } catch (error) {
    throw new ToolError(
      "not_installed",
      "The browser needs the package playwright-core, which could not be loaded. Ask the user to run `npm install playwright-core`.",
      { cause: error },
    );
  }
}
