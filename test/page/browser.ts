import { existsSync } from "node:fs";
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
