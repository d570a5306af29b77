/** Renews the pictures of the documentation: `npm run docs:pictures`, after `npm run build`. */

import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.ts";
import { recordTask } from "./recorded.ts";
import { serve } from "./site.ts";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

interface Picture {
  readonly name: string;
  readonly address: string;
  readonly theme: "light" | "dark";
  readonly width: number;
  readonly height: number;
}

/** The page that shows how a wrong machine breaks a law. */
async function faultPage(folder: string): Promise<string> {
  const file = path.join(folder, "found.html");
  const args = ["verify", "--machine", "examples/stale-answer.mjs", "--emit-page", file];
  try {
    execFileSync(process.execPath, ["cli/npm/signalbox.js", ...args], { cwd: root, stdio: "ignore" });
  } catch {
    // Its exit code is 1: the law is broken.
  }
  return readFile(file, "utf8");
}

const folder = await mkdtemp(path.join(tmpdir(), "pictures-"));
const cancelled = await recordTask();
const approved = await recordTask({ isCancelled: false });
const cancel = cancelled.findIndex(
  ({ record }) => record.kind === "commit" && record.cause?.type === "task.cancel",
);
const approval = cancelled.findIndex(
  ({ record }) => record.kind === "commit" && record.cause?.type === "ask.answered",
);
const task = `#file=tasks.json&task=${cancelled[0]?.taskId}`;
const pictures: readonly Picture[] = [
  { name: "light", address: `${task}&at=${cancel}`, theme: "light", width: 1720, height: 968 },
  { name: "dark", address: `${task}&at=${approval}`, theme: "dark", width: 1280, height: 720 },
  {
    name: "compare",
    address: `${task}&at=${cancel}&with=${approved[0]?.taskId}`,
    theme: "dark",
    width: 1440,
    height: 810,
  },
  { name: "fault", address: "fault.html", theme: "dark", width: 1280, height: 900 },
  { name: "phone", address: `${task}&at=${approval}`, theme: "light", width: 390, height: 844 },
  { name: "phone-chart", address: `${task}&at=${cancel}&pane=chart`, theme: "dark", width: 390, height: 844 },
];
const site = await serve(path.join(root, "visualize/dist/page"), {
  "tasks.json": JSON.stringify([...cancelled, ...approved]),
  "fault.html": await faultPage(folder),
});
const browser = await launch();
for (const { name, address, theme, width, height } of pictures) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme, bypassCSP: true });
  await page.goto(`${site.url}${address}`);
  await page.getByTestId("place").waitFor();
  if (!name.startsWith("phone")) await page.locator(".sb-chart .sb-state").first().waitFor();
  if (name === "compare") await page.getByText("first difference").first().waitFor();
  // Transitions of the style end.
  await page.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished))");
  await page.screenshot({
    path: path.join(root, `docs/pictures/debugger-${name}.png`),
    animations: "disabled",
  });
  await page.close();
}
await browser.close();
await site[Symbol.asyncDispose]();
await rm(folder, { recursive: true });
