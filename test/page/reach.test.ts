import { describe, expect, it } from "vitest";
import { canOpenPage } from "./browser.ts";
import { openViews } from "./open-views.ts";
import { VIEWS } from "./views.ts";

/** Targets whose place and size say something, and links within a sentence. Each has another way by a larger control. */
const EXEMPT = [
  ".sb-link, .text-link a, .messages-link",
  ".sb-state, .sb-notch, .sb-fold, .sb-divider, .sb-track, .sb-overview",
  ".sequence-line",
].join(", ");

/** The visible controls that are smaller than 44 pixels, each with its size. */
const SMALL = `[...document.querySelectorAll(".signalbox :is(button, select, input, summary, a[href], [role=tab])")]
  .filter((control) => !control.matches(${JSON.stringify(EXEMPT)}) && control.checkVisibility({ visibilityProperty: true }))
  .map((control) => [control, (control.closest("label") ?? control).getBoundingClientRect()])
  .filter(([, { width, height }]) => width > 1 && (height < 44 || width < 44))
  .map(([control, { width, height }]) =>
    control.tagName + "." + control.className + " " + (control.textContent || control.getAttribute("aria-label")) +
    " " + Math.round(width) + "x" + Math.round(height))`;

describe.skipIf(!canOpenPage)("the controls of the page", () => {
  const opened = openViews();

  it("are such that at most five keys lead from the start of the page to the answer of an open ask", async () => {
    const { browser, places } = opened();
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${places.server}&task=${places.waiting}`);
    const answer = page.getByRole("form", { name: "Actions" }).getByRole("button").first();
    await answer.waitFor();
    const isFocused = (): Promise<boolean> => answer.evaluate((button) => button.matches(":focus"));
    await page.keyboard.press("Tab");
    const skip = page.getByRole("button", { name: "Go to the answer" });
    expect(
      await skip.evaluate((button) => button.matches(":focus") && button.getBoundingClientRect().width > 44),
    ).toBe(true);
    await page.keyboard.press("Enter");
    let keys = 2;
    for (; keys < 5 && !(await isFocused()); keys += 1) await page.keyboard.press("Tab");
    expect(await isFocused()).toBe(true);
    await page.close();
  });

  it("lead to no answer where none is shown: in the list of tasks, and at a past event", async () => {
    const { browser, places } = opened();
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${places.server}&task=${places.waiting}`);
    const skip = page.getByRole("button", { name: "Go to the answer" });
    await skip.waitFor();
    await page.keyboard.press("Home");
    await page.getByRole("button", { name: "Go to the end" }).waitFor();
    expect(await skip.count()).toBe(0);
    await page.keyboard.press("End");
    await skip.waitFor();
    await page.keyboard.press("f");
    await page.getByRole("main", { name: "All tasks" }).waitFor();
    expect(await skip.count()).toBe(0);
    await page.close();
  });

  it.each(VIEWS)("have at least 44 pixels for a finger: $name", async (view) => {
    const { browser, places } = opened();
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await view.open(page, places);
    expect(await page.evaluate<readonly string[]>(SMALL)).toEqual([]);
    await context.close();
  });
});
