import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { longTrace } from "../../bench/page/long-trace.ts";
import { eventsOf } from "../../visualize/trace/events-of.ts";
import { violationsIn } from "./axe.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { type Site, serve } from "./site.ts";
import { trace, WAITING } from "./timeline/support.ts";

const WAIT = "17 min 23 s waiting for you";

describe.skipIf(!canOpenPage)("the timeline of a task, on the page", () => {
  let site: Site;
  let browser: Browser;
  beforeAll(async () => {
    const task = trace(WAITING);
    const events = eventsOf(task);
    site = await serve(BUILT_PAGE, { "task.json": JSON.stringify(events), "long.jsonl": longTrace(2_000) });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  async function open({
    width = 1_440,
    file = "task.json",
    colorScheme = "light",
    on,
  }: {
    /** A context has its own viewport. */
    on?: BrowserContext;
    width?: number;
    file?: string;
    colorScheme?: "light" | "dark";
  } = {}): Promise<Page> {
    const page = await (on?.newPage() ?? browser.newPage({ viewport: { width, height: 900 }, colorScheme }));
    await page.goto(`${site.url}index.html#file=${file}&at=2`);
    await page.getByTestId("place").waitFor();
    return page;
  }
  const placeOf = (page: Page) => page.getByTestId("place").textContent();
  const track = (page: Page) => page.getByRole("slider", { name: "Event" });

  /** The width of the bar of each kind, in pixels. */
  async function widths(page: Page): Promise<ReadonlyMap<string, number>> {
    const list = page.getByRole("region", { name: "Bars of the timeline" });
    if (!(await list.isVisible())) await page.getByRole("button", { name: "List" }).click();
    const bars = await list
      .locator("tr[data-kind]")
      .evaluateAll((rows) => rows.map(({ dataset }) => [dataset.kind, Number(dataset.width)] as const));
    return new Map(bars.map(([kind = "", width]) => [kind, width]));
  }

  it("folds a wait of 17 min to a notch with its label, which opens, and folds again", async () => {
    const page = await open();
    const notch = page.getByRole("button", { name: `Open ${WAIT}` });
    expect(await notch.textContent()).toBe(WAIT);
    const folded = await widths(page);
    // The tool ran for 6 s, the wait lasted 1,043 s.
    expect(folded.get("tool")).toBeGreaterThan(300);
    expect(folded.get("waiting_for_input")).toBeCloseTo(112, 0);
    await notch.click();
    await notch.waitFor({ state: "detached" });
    const opened = await widths(page);
    expect((opened.get("waiting_for_input") ?? 0) / (opened.get("tool") ?? 1)).toBeCloseTo(1_043 / 6, 1);
    await page.getByRole("button", { name: `Fold ${WAIT}` }).click();
    await notch.waitFor();
    await page.close();
  });

  it("has bars as wide as they last, and as text with their durations and events", async () => {
    const page = await open();
    const bars = await widths(page);
    expect((bars.get("tool") ?? 0) / (bars.get("response") ?? 1)).toBeCloseTo(6_000 / 2_100, 3);
    const list = page.getByRole("region", { name: "Bars of the timeline" });
    expect(await list.textContent()).toContain("Critical path: you 17 min 23 s, tools 6.00 s, model 5.40 s");
    await list.getByRole("button", { name: "tool execute_command: npm run build, 6.00 s, event 11" }).click();
    await expect.poll(() => placeOf(page)).toBe("11");
    await page.close();
  });

  it("lists the longest bar first at a click on the head of the durations, and the earliest at the next", async () => {
    const page = await open();
    await page.getByRole("button", { name: "List" }).click();
    const list = page.getByRole("region", { name: "Bars of the timeline" });
    const first = () => list.locator("tr[data-kind]").first().textContent();
    const earliest = await first();
    await list.getByRole("button", { name: "lasted" }).click();
    expect(await first()).toContain("17 min 23 s");
    expect(await list.getByRole("columnheader", { name: "lasted" }).getAttribute("aria-sort")).toBe(
      "descending",
    );
    await list.getByRole("button", { name: "lasted" }).click();
    expect(await first()).toBe(earliest);
    await page.close();
  });

  it("has the same width for each event by event, and goes back to time", async () => {
    const page = await open();
    await page.getByRole("combobox", { name: "Axis" }).selectOption("event");
    const bars = await widths(page);
    expect(bars.get("response")).toBeCloseTo(3 * (bars.get("tool") ?? 0), 3);
    expect(await page.getByRole("button", { name: `Open ${WAIT}` }).count()).toBe(0);
    await page.getByRole("combobox", { name: "Axis" }).selectOption("time");
    await page.getByRole("button", { name: `Open ${WAIT}` }).waitFor();
    await page.close();
  });

  it("goes to the event of a bar by a click, and to each event that the pointer is dragged over", async () => {
    const page = await open();
    const box = await track(page).boundingBox();
    if (box === null) throw new Error("The track has no place.");
    // The row of tools is the fourth.
    await page.mouse.click(box.x + box.width - 100, box.y + 18 + 3.5 * 17);
    await expect.poll(() => placeOf(page)).toBe("11");
    await page.mouse.move(box.x + box.width - 100, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + 1, box.y + 5, { steps: 5 });
    await expect.poll(() => placeOf(page)).toBe("0");
    await page.mouse.up();
    await page.close();
  });

  it("zooms by wheel at the pointer and by keys, moves by arrows on its overview, and fits again", async () => {
    const page = await open();
    const part = page.getByRole("slider", { name: "Shown part" });
    const shown = () => part.getAttribute("aria-valuetext");
    expect(await shown()).toBe("0 % to 100 % of the timeline");
    await track(page).hover({ position: { x: 6, y: 60 } });
    await page.mouse.wheel(0, -300);
    await expect.poll(shown).toBe("0 % to 37 % of the timeline");
    await part.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(shown).toBe("7 % to 44 % of the timeline");
    await page.keyboard.press("0");
    await expect.poll(shown).toBe("0 % to 100 % of the timeline");
    await track(page).focus();
    await page.keyboard.press("+");
    await expect.poll(shown).not.toContain("100 %");
    // The shown part follows the current event.
    await page.keyboard.press("End");
    await expect.poll(shown).toMatch(/ to 100 % of/);
    await page.getByRole("button", { name: "Fit", exact: true }).click();
    await expect.poll(shown).toBe("0 % to 100 % of the timeline");
    await page.close();
  });

  it("zooms while two fingers spread, and keeps the current event", async () => {
    const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, hasTouch: true });
    const page = await open({ on: context });
    const shown = () => page.getByRole("slider", { name: "Shown part" }).getAttribute("aria-valuetext");
    const box = await track(page).boundingBox();
    if (box === null) throw new Error("The track has no place.");
    const { x: left, y: top } = box;
    const session = await context.newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...xs: readonly number[]) =>
      session.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: xs.map((x, id) => ({ x: left + x, y: top + 30, id })),
      });
    await touch("touchStart", 100);
    await touch("touchStart", 100, 200);
    const place = await placeOf(page);
    await touch("touchMove", 50, 250);
    await expect.poll(shown).toMatch(/^\d % to 5\d % of/);
    // The finger that stays drags nothing.
    await touch("touchEnd", 50);
    await touch("touchMove", 600);
    await touch("touchEnd");
    expect(await placeOf(page)).toBe(place);
    await context.close();
  });

  it("shows the part that is chosen by a drag on the overview", async () => {
    const page = await open();
    const part = page.getByRole("slider", { name: "Shown part" });
    const box = await part.boundingBox();
    if (box === null) throw new Error("The overview has no place.");
    await page.mouse.move(box.x + 6, box.y + 9);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 4, box.y + 9, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => part.getAttribute("aria-valuetext")).toMatch(/^0 % to 2\d % of/);
    await page.close();
  });

  it("has at most a quarter of a window of 900 px, and on a phone a strip of 40 px that opens", async () => {
    const page = await open();
    const height = async (selector: string) => (await page.locator(selector).boundingBox())?.height ?? 0;
    expect(await height(".sb-timeline")).toBeLessThanOrEqual(225);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => height(".sb-stage")).toBe(40);
    await page.getByRole("button", { name: "All lanes" }).click();
    await expect.poll(() => height(".sb-stage")).toBeGreaterThan(120);
    await page.close();
  });

  it("has one row of controls on a phone, and the others after its lanes are opened or a search is started", async () => {
    const page = await open({ width: 390 });
    const controls = page.getByRole("toolbar", { name: "Playback" });
    const names = () =>
      controls
        .locator("button:not(.sb-link)")
        .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? one.textContent.trim()));
    const rows = async () => Math.round(((await controls.boundingBox())?.height ?? 0) / 26);
    const few = ["previous event", "play", "next event", "end"];
    await expect.poll(names).toEqual(few);
    expect(await rows()).toBe(1);
    expect(await page.getByTestId("place").isVisible()).toBe(true);
    await page.getByRole("button", { name: "All lanes" }).click();
    await expect.poll(names).toContain("first event");
    await page.getByRole("button", { name: "Fewer lanes" }).click();
    await expect.poll(names).toEqual(few);
    await page.keyboard.press("/");
    const field = controls.getByRole("searchbox");
    expect(await field.evaluate((input) => input.matches(":focus"))).toBe(true);
    await page.close();
  });

  it("shows the matches of a search in a lane of their own", async () => {
    const page = await open();
    const lanes = page.locator(".sb-lane-names");
    expect(await lanes.textContent()).not.toContain("search");
    await page.getByRole("searchbox").fill("llm.text");
    await lanes.getByText("search").waitFor();
    await page.close();
  });

  it.each(["light", "dark"] as const)(
    "has no serious fault of accessibility in the %s theme",
    async (colorScheme) => {
      const page = await open({ colorScheme });
      await widths(page);
      await page.getByRole("searchbox").fill("llm");
      expect(await violationsIn(page, ".sb-timeline")).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      await expect.poll(() => page.locator(".sb-lanes").getAttribute("data-strip")).toBe("true");
      expect(await violationsIn(page, ".sb-timeline")).toEqual([]);
      const smallest = await page.evaluate<number>(`Math.min(...[...document.querySelectorAll(".sb-lanes *")]
      .filter(({ childNodes }) => [...childNodes].some(({ nodeType }) => nodeType === 3))
      .map((element) => parseFloat(getComputedStyle(element).fontSize)))`);
      expect(smallest).toBeGreaterThanOrEqual(12);
      await page.close();
    },
  );

  it("lists at most 200 bars of a long task", async () => {
    const page = await open({ file: "long.jsonl" });
    await widths(page);
    const list = page.getByRole("region", { name: "Bars of the timeline" });
    expect(await list.locator("tr[data-kind]").count()).toBe(200);
    expect(await list.textContent()).toMatch(/The first 200 of \d+ bars follow: zoom in for others\./);
    await page.close();
  });
});
