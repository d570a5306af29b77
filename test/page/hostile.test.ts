import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { HOSTILE_SCRIPT, hostile, PAYLOADS } from "./hostile.ts";
import { INVISIBLE } from "./invisible.ts";
import { recordTask } from "./recorded.ts";
import { serve } from "./site.ts";

/** A page and its harm: scripts that ran, requests, and policy violations. */
interface Watched {
  readonly page: Page;
  /** All harm since it was opened. */
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

/** Unfolds everything and shows more of everything shortened, a few times. */
async function unfold(page: Page): Promise<void> {
  for (let round = 0; round < 3; round += 1) await page.evaluate("watch.unfold()");
}

/** All visible and accessible text of the page. */
const textIn = (page: Page): Promise<string> => page.evaluate<string>("watch.text()");

/** Invisible characters except line ends. */
const invisibleIn = (text: string): string | undefined => {
  const found = INVISIBLE.exec(text.replaceAll("\n", " "));
  return found === null ? undefined : text.slice(Math.max(0, found.index - 120), found.index + 20);
};

/** Checks a pane at every event of the recorded task, with everything unfolded. */
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
  const text = await textIn(page);
  expect(invisibleIn(text), `pane ${pane}`).toBeUndefined();
  if (pane !== "4") for (const payload of PAYLOADS.slice(0, 3)) expect(text).toContain(payload);
  expect(await harm(), `pane ${pane}`).toEqual([]);
}

describe.skipIf(!canOpenPage)("a task with hostile content in all texts", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("is shown as text in every pane of a recorded task: nothing runs, is loaded or hidden", async () => {
    const events = hostile(await recordTask());
    await using site = await serve(BUILT_PAGE, { "hostile.json": JSON.stringify(events) });
    const { page, harm } = await watched(browser, `${site.url}#file=hostile.json&at=0`);
    await page.getByTestId("place").waitFor();
    for (const pane of ["3", "4", "5", "8"]) await goThrough({ page, harm }, pane, events.length);
    await page.keyboard.press("1");
    await page.locator('[data-path="running"] > button').click();
    await page.getByRole("complementary", { name: "State running" }).waitFor();
    await page.keyboard.press("c");
    await page.getByRole("region", { name: "Compare" }).waitFor();
    expect(invisibleIn(await textIn(page))).toBeUndefined();
    await page.getByRole("searchbox").fill("<img src=x");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.keyboard.press("f");
    await page.getByRole("main", { name: "All tasks" }).waitFor();
    expect(invisibleIn(await textIn(page))).toBeUndefined();
    expect(await harm()).toEqual([]);
    await page.context().close();
  });

  it("is shown as text while it is live, with actions: nothing runs or is loaded", async () => {
    await using served = await Served.open({ script: HOSTILE_SCRIPT, page: BUILT_PAGE });
    const { id } = await served.create(PAYLOADS.join("\n"));
    const { page, harm } = await watched(browser, `${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Breakpoints" }).click();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("The agent asks a question.").waitFor();
    await unfold(page);
    expect(invisibleIn(await textIn(page))).toBeUndefined();
    expect(await harm()).toEqual([]);
    await page.getByRole("textbox", { name: "Message to the agent" }).fill(PAYLOADS[0] ?? "");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    await unfold(page);
    expect(await textIn(page)).toContain(PAYLOADS[0]);
    expect(invisibleIn(await textIn(page))).toBeUndefined();
    expect(await harm()).toEqual([]);
    await page.context().close();
  });
});
