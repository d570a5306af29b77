/**
 * Renews the pictures of the documentation: `npm run docs:pictures`, after `npm run build`. With `-- --all FOLDER` the
 * pictures of the sheets go into that folder as well, at their full size; `--only TEXT` draws those with that text.
 */

import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { temporaryFolder } from "../cli/process.ts";
import { launch } from "./browser.ts";
import { GALLERY, SHOTS, sheetName } from "./gallery/gallery.ts";
import { sheetOf } from "./gallery/sheet.ts";
import { type Shot, take } from "./gallery/shots.ts";
import { openPlaces, VIEWS, type View, type ViewPlaces } from "./views.ts";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
interface DocsPicture {
  readonly name: string;
  readonly open: View["open"];
  readonly theme: Shot["theme"];
  readonly size: readonly [width: number, height: number];
}

/** A recorded task, with fields of its address. */
const taskWith =
  (fields: (places: ViewPlaces) => string): View["open"] =>
  async (page, places) => {
    await page.goto(`${places.files}#file=tasks.json&task=${places.recorded[0]}${fields(places)}`);
    await page.getByTestId("place").waitFor();
  };

const comparison: View["open"] = async (page, places) => {
  await taskWith(({ events, recorded }) => `&at=${events.cancel}&with=${recorded[1]}`)(page, places);
  await page.getByText("first difference").first().waitFor();
};

/** The page that shows how a wrong machine breaks a law. */
async function fault(page: Page): Promise<void> {
  const folder = temporaryFolder();
  const file = path.join(folder.path, "found.html");
  const args = ["verify", "--machine", "examples/stale-answer.mjs", "--emit-page", file];
  try {
    execFileSync(process.execPath, ["cli/npm/signalbox.js", ...args], { cwd: root, stdio: "ignore" });
  } catch {
    // Its exit code is 1: the law is broken.
  }
  await page.goto(pathToFileURL(file).href);
  await page.getByTestId("place").waitFor();
  folder.remove();
}

/** The pictures of the documentation. */
const DOCS: readonly DocsPicture[] = [
  {
    name: "debugger-light",
    open: taskWith(({ events }) => `&at=${events.cancel}`),
    theme: "light",
    size: [1720, 968],
  },
  {
    name: "debugger-dark",
    open: taskWith(({ events }) => `&at=${events.approval}&pane=chart`),
    theme: "dark",
    size: [1280, 720],
  },
  { name: "debugger-compare", open: comparison, theme: "dark", size: [1440, 810] },
  { name: "debugger-fault", open: fault, theme: "dark", size: [1280, 900] },
  {
    name: "debugger-phone",
    open: taskWith(({ events }) => `&at=${events.approval}`),
    theme: "light",
    size: [390, 844],
  },
  {
    name: "debugger-phone-chart",
    open: taskWith(({ events }) => `&at=${events.cancel}&pane=chart`),
    theme: "dark",
    size: [390, 844],
  },
];

/** Renew the pictures that pages of the documentation show. */
async function drawDocs(browser: Browser, places: ViewPlaces, only: string): Promise<void> {
  for (const { name, open, theme, size } of DOCS) {
    if (!name.includes(only)) continue;
    const { png } = await take(browser, open, { width: size[0], height: size[1], theme }, places);
    await writeFile(path.join(root, "docs/pictures", `${name}.png`), png);
  }
}

/** Renew the sheets of the views. The pictures go into `folder` as well, at their full size. */
async function drawSheets(
  browser: Browser,
  places: ViewPlaces,
  only: string,
  folder?: string,
): Promise<void> {
  for (const { name, open } of VIEWS) {
    if (!name.includes(only)) continue;
    const pictures = [];
    for (const shot of SHOTS) pictures.push(await take(browser, open, shot, places));
    await writeFile(path.join(root, GALLERY, `${sheetName(name)}.webp`), await sheetOf(browser, pictures));
    if (folder === undefined) continue;
    for (const { shot, png } of pictures)
      await writeFile(path.join(folder, `${sheetName(name)}-${shot.width}-${shot.theme}.png`), png);
  }
}

const { values } = parseArgs({
  options: { all: { type: "string" }, only: { type: "string", default: "" } },
});
const { all, only } = values;
const [browser, places] = await Promise.all([launch(), openPlaces()]);
for (const folder of [path.join(root, GALLERY), ...(all === undefined ? [] : [all])])
  await mkdir(folder, { recursive: true });
await Promise.all([drawDocs(browser, places, only), drawSheets(browser, places, only, all)]);
await browser.close();
await places[Symbol.asyncDispose]();
