import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allowEverything } from "../../tools/index.ts";
import { Served } from "../server/support.ts";
import { MODES, NESTED_SCRIPT } from "../support/subtasks.ts";
import { violationsIn } from "./axe.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { type NestedTraces, recordNested } from "./nested.ts";
import { type Site, serve } from "./site.ts";

/** The indents of the rows of each level of the outline. */
const INDENTS = `Object.fromEntries([...document.querySelectorAll('[role="treeitem"]')]
  .map((row) => [row.ariaLevel, getComputedStyle(row).paddingLeft]))`;

const SUBTASK = /Subtask [\d.]+:/;

describe.skipIf(!canOpenPage)("a task with subtasks of subtasks, on the page", () => {
  let browser: Browser;
  let site: Site;
  let nested: NestedTraces;
  beforeAll(async () => {
    nested = await recordNested();
    site = await serve(BUILT_PAGE, { "nested.json": JSON.stringify(nested.traces.flat()) });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  async function open(width: number, fields = ""): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    page.setDefaultTimeout(15_000);
    await page.goto(`${site.url}index.html#file=nested.json&task=${nested.ids[0]}${fields}`);
    await page.getByTestId("place").waitFor();
    return page;
  }
  const rows = (page: Page) => page.getByRole("tree", { name: "Outline" }).getByRole("treeitem");
  /** Fold or unfold the row of a subtask. */
  const toggle = (page: Page, nth: number) =>
    rows(page).filter({ hasText: SUBTASK }).nth(nth).locator(".outline-fold").click();

  it.each([390, 1440])(
    "unfolds each level of the outline, and opens the event of a grandchild, at %i px",
    async (width) => {
      const page = await open(width, width < 900 ? "&pane=outline" : "");
      await rows(page).filter({ hasText: "3 problems" }).waitFor();
      await toggle(page, 0);
      await rows(page).filter({ hasText: "Start a subtask in mode two" }).waitFor();
      await toggle(page, 1);
      const call = rows(page).filter({ hasText: /exit 3.*exit code/ });
      expect(await call.getAttribute("aria-level")).toBe("8");
      expect(await page.evaluate(INDENTS)).toEqual({
        ...{ 1: "2px", 2: "16px", 3: "30px", 4: "36px" },
        ...{ 5: "42px", 6: "48px", 7: "54px", 8: "60px" },
      });
      expect(await violationsIn(page, ".outline-pane")).toEqual([]);
      await call.click();
      await page.locator(".sb-title").filter({ hasText: /▸.*▸/ }).waitFor();
      await expect.poll(() => page.url()).toContain(`/t/${nested.ids[2]}`);
      await page.close();
    },
  );

  it.each([390, 1440])(
    "lists the problems of grandchildren, with links to each cause up to the root, at %i px",
    async (width) => {
      const page = await open(width, "&pane=problems");
      await page.getByText("3 problems, 3 in subtasks").waitFor();
      const problem = page.locator(".problems-item", { hasText: "exit code" });
      await problem.getByRole("button", { name: "Start a subtask in mode one" }).click();
      await expect.poll(() => page.getByTestId("place").textContent()).toBe("4");
      expect(await violationsIn(page, ".list-pane")).toEqual([]);
      await problem.getByRole("button", { name: "Start a subtask in mode two" }).click();
      await expect.poll(() => page.url()).toContain(`/t/${nested.ids[1]}`);
      await page.close();
    },
  );

  it("has the bar of a grandchild in a lane below its parent's", async () => {
    const page = await open(1440);
    await page.getByText("↳ 1.1", { exact: true }).waitFor();
    await page.getByRole("button", { name: "List" }).click();
    const bars = page.getByRole("region", { name: "Bars of the timeline" }).locator("tr[data-kind=subtask]");
    await expect.poll(() => bars.count()).toBe(2);
    expect(await bars.last().textContent()).toContain("subtask 1.1 Work in two.");
    await page.close();
  });
});

describe.skipIf(!canOpenPage)("a served task with subtasks of subtasks", () => {
  const PROMPT = `Use sk-ant-api03-${"x7".repeat(12)}`;
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("has a grandchild as it works, once it is only recorded, and in a shared file with secrets masked", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "nested-"));
    const task = { permissions: { judge: allowEverything() }, modes: MODES };
    const script = NESTED_SCRIPT.replaceAll("Work in ask.", `${PROMPT}.`);
    await using served = await Served.open({ script, task, page: BUILT_PAGE });
    const { id } = await served.create("Do it");
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(15_000);
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    const rows = page.getByRole("tree", { name: "Outline" }).getByRole("treeitem");
    const tasks = rows.filter({ hasText: SUBTASK });
    const unfold = async (nth: number) => {
      await tasks.nth(nth).locator(".outline-fold", { hasText: "▸" }).click();
    };
    await unfold(0);
    await unfold(1);
    const question = rows.filter({ hasText: "Question: Which?" });
    await question.filter({ hasText: "waiting" }).waitFor();
    const ask = served.host.tasks.get(`${id}.1.1`)?.asks[0];
    if (ask?.kind !== "question") throw new Error("The grandchild asks no question.");
    ask.answer("left");
    const results = rows.filter({ hasText: /^Result$/ });
    await results.nth(2).waitFor();
    await question.filter({ hasNotText: "waiting" }).waitFor();

    await page.getByRole("button", { name: "Share" }).click();
    const link = page.getByRole("link", { name: "Download" });
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    const file = path.join(folder, "shared.html");
    await download.saveAs(file);
    expect(await readFile(file, "utf8")).not.toContain(PROMPT);
    await page.getByRole("button", { name: "Close" }).click();

    await page.goto(pathToFileURL(file).href);
    await page.locator(".sb-title").filter({ hasText: "Do it" }).filter({ hasNotText: "▸" }).waitFor();
    await unfold(0);
    await unfold(1);
    await rows.filter({ hasText: "Use [masked]" }).first().waitFor();
    await results.nth(2).waitFor();

    await served.restart();
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await unfold(0);
    await unfold(1);
    await results.nth(2).waitFor();
    await page.close();
    await rm(folder, { recursive: true, force: true });
  });
});
