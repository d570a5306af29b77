import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import { Served, type ServedOptions } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { isReachable } from "./reachable.ts";

const WRITE = "{ tool: write_to_file, input: { path: a.txt, content: hi } }";
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";

const placeOf = async (part: Locator) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };

describe.skipIf(!canOpenPage)("the page on a small phone", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  const serve = (more: ServedOptions = {}) =>
    Served.open({ script: `[${WRITE}, ${DONE}]`, page: BUILT_PAGE, ...more });

  async function openPhone(served: Served, fields: string): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 360, height: 640 },
      hasTouch: true,
      isMobile: true,
    });
    const page = await context.newPage();
    await page.goto(`${served.server.pageUrl}${fields}`);
    return page;
  }

  it("has the tabs in one row, with the shown one in sight", async () => {
    await using served = await serve();
    const { id } = await served.create("Write a.txt");
    const page = await openPhone(served, `&task=${id}&pane=raw`);
    const tabs = page.getByRole("tab");
    await tabs.first().waitFor();
    expect(new Set((await Promise.all((await tabs.all()).map(placeOf))).map(({ y }) => y)).size).toBe(1);
    expect(await isReachable(page.getByRole("tab", { name: "Raw", selected: true }))).toBe(true);
    await page.getByRole("tab", { name: "Compare" }).tap();
    expect(await isReachable(page.getByRole("tab", { name: "Compare", selected: true }))).toBe(true);
    await page.context().close();
  });

  it("says beside *Tasks* how many need a person, and has the first of them in sight with its answers", async () => {
    await using served = await serve();
    for (const name of ["one", "two"]) await served.create(`Write ${name}`);
    const { id } = await served.create("Write three");
    const page = await openPhone(served, `&task=${id}`);
    await page.getByRole("button", { name: "Tasks 3 3 need you" }).tap();
    const row = page.getByRole("row").filter({ hasText: "asks to create a.txt" }).first();
    for (const name of ["Save", "Reject"])
      expect(await isReachable(row.getByRole("button", { name })), name).toBe(true);
    await row.getByRole("button", { name: "Save" }).tap();
    await page.getByRole("button", { name: "2 need you" }).waitFor();
    await page.context().close();
  });

  it("has the model of a fork within the page", async () => {
    const other = anthropic({ model: "claude-opus-4-6", apiKey: "mock", baseURL: "http://127.0.0.1:1" });
    await using served = await serve({
      models: { named: { "a-profile-with-a-name-that-is-longer-than-the-width-of-a-phone": other } },
    });
    const { id } = await served.create("Write a.txt");
    const page = await openPhone(served, `&task=${id}&at=2`);
    const { x, width } = await placeOf(page.getByRole("combobox", { name: "Model of the fork" }));
    expect(x + width).toBeLessThanOrEqual(360);
    await page.context().close();
  });
});
