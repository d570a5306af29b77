import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where a Chromium may be; the first can be named by the environment. */
const PLACES = [
  process.env.SIGNALBOX_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** The Chromium of this machine, or undefined: then the tests of the page are left out. */
export const chromiumPath = PLACES.find((place) => place !== undefined && existsSync(place));

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A Chromium with a profile of its own. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
    args: FLAGS,
  });
}
