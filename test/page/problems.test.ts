import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { CHILD, PARENT } from "./family.ts";
import { type Site, serve } from "./site.ts";

describe.skipIf(!canOpenPage)("the problems of a task, on the page", () => {
  let site: Site;
  let browser: Browser;
  beforeAll(async () => {
    site = await serve(BUILT_PAGE, { "family.json": JSON.stringify([...PARENT, ...CHILD]) });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  async function open(width: number): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    await page.goto(`${site.url}index.html#file=family.json&task=p&at=0`);
    await page.getByTestId("place").waitFor();
    return page;
  }
  const placeOf = (page: Page) => page.getByTestId("place").textContent();

  it.each([390, 1440])(
    "lead to their causes in one click each, into the subtask, at %i px",
    async (width) => {
      const page = await open(width);
      await page.getByRole("tab", { name: /Problems/ }).click();
      const row = page.locator(".problems-item", { hasText: "subtask failed" }).last();
      expect(await row.locator(".problems-kind").textContent()).toBe("subtask failed");
      await row.locator(".problems-row").click();
      await expect.poll(() => placeOf(page)).toBe("3");
      await row.getByRole("button", { name: "allowed by the rule allow-subtasks" }).click();
      await expect.poll(() => placeOf(page)).toBe("2");
      await row.getByRole("button", { name: "subtask 1 Do it" }).click();
      await page.getByText("401 invalid x-api-key").first().waitFor();
      await expect.poll(() => placeOf(page)).toBe("2");
      expect(await page.locator(".problems-kind").textContent()).toBe("request failed");
      await page.locator(".problems-item").getByRole("button", { name: "subtask of Do it" }).click();
      await page.locator(".problems-kind", { hasText: "subtask failed" }).waitFor();
      await page.close();
    },
  );

  it("are reached by e and ⇧ E", async () => {
    const page = await open(1440);
    await page.keyboard.press("e");
    await expect.poll(() => placeOf(page)).toBe("3");
    await page.keyboard.press("e");
    await page.keyboard.press("Home");
    await expect.poll(() => placeOf(page)).toBe("0");
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => placeOf(page)).toBe("2");
    await page.keyboard.press("e");
    await expect.poll(() => placeOf(page)).toBe("3");
    await page.keyboard.press("Shift+E");
    // There is no earlier problem.
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => placeOf(page)).toBe("2");
    await page.close();
  });
});
