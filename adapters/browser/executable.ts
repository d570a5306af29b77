import path from "node:path";
import { ToolError } from "../../tools/error.ts";
import { isExecutable } from "../shell/executable-file.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"] as const;
/** Where Chrome is if the search path does not have it. */
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
] as const;

/**
 * The path of an installed Chromium: the given one, or the first that has a usual name.
 *
 * @throws ToolError `NOT_INSTALLED`
 */
export async function findChromium(given: string | undefined): Promise<string> {
  for (const place of given === undefined ? usualPlaces() : [given])
    if (await isExecutable(place)) return place;
  throw new ToolError(
    "NOT_INSTALLED",
    given === undefined
      ? `Chromium was not found: expected one of ${NAMES.join(", ")} in the search path. Ask the user to install Chromium or Chrome, or to name its path in the option executable of the browser.`
      : `'${given}' is not an executable file: expected the path of Chromium or Chrome. Ask the user to correct the option executable of the browser.`,
  );
}

const usualPlaces = (): readonly string[] => [
  ...(process.env.PATH ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => NAMES.map((name) => path.join(folder, name))),
  ...PLACES,
];
