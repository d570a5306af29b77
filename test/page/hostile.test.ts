import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../server/support.ts";
import { chromiumPath, launch } from "./browser.ts";
import { HOSTILE_SCRIPT, hostile, PAYLOADS } from "./hostile.ts";
import { recordTask } from "./recorded.ts";
import { serve } from "./site.ts";
import { INVISIBLE } from "./unseen.ts";

const built = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../dist/page");
const canRun = chromiumPath !== undefined && existsSync(path.join(built, "index.html"));

/** Where something of it was obeyed: what ran, asked, was loaded from elsewhere or broke the policy. */
interface Watched {
  readonly page: Page;
  /** All that went wrong since it was opened. */
  harm(): Promise<readonly string[]>;
}

async function watched(browser: Browser, url: string): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  const found: string[] = [];
  const origin = new URL(url).origin;
  page.on("dialog", (dialog) => {
    found.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss().catch((error: unknown) => found.push(String(error)));
  });
  page.on("pageerror", (error) => found.push(`an error: ${error.message}`));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) found.push(`asked for ${request.url()}`);
  });
  page.on("framenavigated", (frame) => {
    if (new URL(frame.url()).origin !== origin) found.push(`went to ${frame.url()}`);
  });
  context.on("page", (other) => found.push(`opened ${other.url()}`));
  await page.addInitScript({ path: fileURLToPath(new URL("watch.js", import.meta.url)) });
  await page.goto(url);
  return { page, harm: async () => [...found, ...(await page.evaluate<string[]>("watch.harm()"))] };
}

/** Opens all that is folded, and asks for more of all that is cut, a few times over. */
async function unfold(page: Page): Promise<void> {
  for (let round = 0; round < 3; round += 1) await page.evaluate("watch.unfold()");
}

/** All that is read and heard of the page. */
const wordsIn = (page: Page): Promise<string> => page.evaluate<string>("watch.words()");

/** What can't be loaded, but for the line ends. */
const unseenIn = (words: string): string | undefined => {
  const found = INVISIBLE.exec(words.replaceAll("\n", " "));
  return found === null ? undefined : words.slice(Math.max(0, found.index - 120), found.index + 20);
};

/** Looks at a pane of the recorded task at every place, and at all that is folded or cut in it. */
async function goThrough({ page, harm }: Watched, pane: string, length: number): Promise<void> {
  await page.keyboard.press(pane);
  await page.keyboard.press("Home");
  for (let seq = 0; seq < length; seq += 1) {
    await expect.poll(() => page.getByTestId("place").textContent()).toBe(String(seq));
    if (seq % 7 === 0) await unfold(page);
    expect(await harm(), `pane ${pane} at ${seq}`).toEqual([]);
    if (seq < length - 1) await page.keyboard.press("ArrowRight");
  }
  await unfold(page);
  const words = await wordsIn(page);
  expect(unseenIn(words), `pane ${pane}`).toBeUndefined();
  if (pane !== "4") for (const payload of PAYLOADS.slice(0, 3)) expect(words).toContain(payload);
  expect(await harm(), `pane ${pane}`).toEqual([]);
}

describe.skipIf(!canRun)("a task that says hostile things in all that is said in it", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("is shown as text in every pane of a recorded task: nothing runs, nothing is loaded, nothing is hidden", async () => {
    const events = hostile(await recordTask());
    await using site = await serve(built, { "hostile.json": JSON.stringify(events) });
    const { page, harm } = await watched(browser, `${site.url}#file=hostile.json&at=0`);
    await page.locator(".react-flow__edge").first().waitFor({ state: "attached" });
    for (const pane of ["3", "4", "5"]) await goThrough({ page, harm }, pane, events.length);
    await page.locator('.react-flow__node[data-id="running"]').click();
    await page.getByRole("complementary", { name: "The state running" }).waitFor();
    await page.keyboard.press("c");
    await page.getByRole("region", { name: "Compare" }).waitFor();
    expect(unseenIn(await wordsIn(page))).toBeUndefined();
    await page.getByRole("searchbox").fill("<img src=x");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.keyboard.press("f");
    await page.getByRole("main", { name: "All tasks" }).waitFor();
    expect(unseenIn(await wordsIn(page))).toBeUndefined();
    expect(await harm()).toEqual([]);
    await page.context().close();
  }, 240_000);

  it("is shown as text while it runs, with what can be done: nothing runs, nothing is loaded", async () => {
    await using served = await Served.open({ script: HOSTILE_SCRIPT, page: built });
    const { id } = await served.create(PAYLOADS.join("\n"));
    const { page, harm } = await watched(browser, `${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Breakpoints" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("The agent asks.").waitFor();
    await unfold(page);
    expect(unseenIn(await wordsIn(page))).toBeUndefined();
    expect(await harm()).toEqual([]);
    await page.getByRole("textbox", { name: "Words for the agent" }).fill(PAYLOADS[0] ?? "");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Done: is it good?").waitFor();
    await unfold(page);
    expect(await wordsIn(page)).toContain(PAYLOADS[0]);
    expect(unseenIn(await wordsIn(page))).toBeUndefined();
    expect(await harm()).toEqual([]);
    await page.context().close();
  });
});
