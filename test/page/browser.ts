import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";

/** Paths of Chromium; the first is set by the environment. */
const PLACES = [
  process.env.SIGNALBOX_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** The path of Chromium, or undefined: then the page's tests are skipped. */
export const chromiumPath = PLACES.find((place) => place !== undefined && existsSync(place));

/** The folder of the built page. */
export const BUILT_PAGE = fileURLToPath(new URL("../../visualize/dist/page", import.meta.url));

/** Whether tests can open the built page. Otherwise they are skipped: a checkout may have no build and no Chromium. */
export const canOpenPage = chromiumPath !== undefined && existsSync(path.join(BUILT_PAGE, "index.html"));

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Launches Chromium with a new profile. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
    args: FLAGS,
  });
}
