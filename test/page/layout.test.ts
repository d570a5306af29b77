import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tracePage } from "../../server/page/trace-page.ts";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { isReachable } from "./reachable.ts";
import { recordTask } from "./recorded.ts";
import { type Site, serve } from "./site.ts";

const NARROW = [360, 390, 768];
const WIDTHS = [...NARROW, 900, 1280, 1440];
const PANES = ["Transcript", "Outline", "Problems", "Why", "Chart", "State", "Sequence", "Raw", "Compare"];

const script = `
turns:
  - - text: I write it.
    - { tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }
  - { tool: ask_followup_question, input: { question: Which one?, follow_up: [{ text: left }, { text: right }] } }
  - { tool: attempt_completion, input: { result: All done. } }
`;
/** Nothing in it can be wrapped. */
const PROMPT = `Write a.txt ${"unbroken".repeat(20)}`;

/** The visible parts outside the viewport. What a pane scrolls is not outside. */
const outside = (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(`
  [...document.querySelectorAll(".signalbox, .signalbox *")].filter((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    if (width === 0 || (left >= 0 && right <= innerWidth)) return false;
    if (element.closest(".sb-visually-hidden")) return false;
    for (let above = element.parentElement; above !== null; above = above.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(above);
      const isScroller = overflowX === "auto" || overflowX === "scroll" || textOverflow === "ellipsis";
      if (isScroller && above.getBoundingClientRect().right <= innerWidth && !above.matches(".signalbox")) return false;
    }
    return true;
  }).map((element) => element.tagName + "." + element.getAttribute("class"))`);

async function compareWithAnother(page: Page): Promise<void> {
  const others = page.getByRole("combobox", { name: "The other task" });
  await others.selectOption(
    await others.locator("option", { hasText: "Another task" }).getAttribute("value"),
  );
}

async function expectFitting(page: Page, what: string): Promise<void> {
  expect(await outside(page), what).toEqual([]);
  expect(await page.evaluate("document.querySelector('.signalbox').scrollLeft"), what).toBe(0);
}

describe.skipIf(!canOpenPage)("the page at any width", () => {
  let browser: Browser;
  let served: Served;
  let site: Site;
  let id = "";
  beforeAll(async () => {
    browser = await launch();
    served = await Served.open({ script, page: BUILT_PAGE });
    ({ id } = await served.create(PROMPT));
    await served.create("Another task");
    const events = await recordTask();
    site = await serve(BUILT_PAGE, {
      "task.html": await tracePage(events, { title: "A task", page: BUILT_PAGE }),
    });
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
    await served?.[Symbol.asyncDispose]();
  });

  async function openAt(width: number, height = 800): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height } });
    const page = await context.newPage();
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Save" }).waitFor();
    return page;
  }

  it.each(WIDTHS)("shows nothing wider than %i px, in any pane, list and dialog", async (width) => {
    const page = await openAt(width);
    for (const name of await page.getByRole("tab").allInnerTexts()) {
      const tab = page.getByRole("tab", { name: name.split("\n")[0] ?? "" });
      await tab.click();
      await expectFitting(page, name);
    }
    if (!NARROW.includes(width)) await page.keyboard.press("c");
    await compareWithAnother(page);
    await page.getByRole("button", { name: "First difference" }).waitFor();
    await expectFitting(page, "comparison");
    await page.getByRole("button", { name: "Breakpoints" }).click();
    await expectFitting(page, "breakpoints");
    await page.getByRole("button", { name: "Keys" }).click();
    await expectFitting(page, "keys");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Tasks/ }).click();
    await page.getByRole("main", { name: "All tasks" }).waitFor();
    await expectFitting(page, "tasks");
    await page.context().close();
  });

  it.each(WIDTHS)(
    "has every control of the ask within the viewport at %i px, in every pane",
    async (width) => {
      const page = await openAt(width);
      const bar = page.getByRole("form", { name: "Actions" });
      for (const height of [800, 500]) {
        await page.setViewportSize({ width, height });
        const names = await page.getByRole("tab").allInnerTexts();
        for (const name of names) {
          await page.getByRole("tab", { name: name.split("\n")[0] ?? "" }).click();
          const controls = await bar.locator("button, input:not([type=file])").all();
          expect(controls).toHaveLength(9);
          expect(await bar.getByText("Allow it?").isVisible()).toBe(true);
          for (const control of [...controls, bar.getByText("Allow it?")])
            expect(
              await isReachable(control),
              `${await control.textContent()} in ${name}, ${height} px`,
            ).toBe(true);
        }
      }
      await page.context().close();
    },
  );

  it("leaves space for the transcript of a waiting task on a phone", async () => {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const page = await context.newPage();
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Save" }).waitFor();
    const height = async (selector: string) => (await page.locator(selector).boundingBox())?.height;
    await expect.poll(() => height(".sb-playback")).toBe(44);
    expect(await height(".transcript .list-scroll")).toBeGreaterThanOrEqual(170);
    await context.close();
  });

  it("answers an ask at 360 px", async () => {
    const page = await openAt(360, 640);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The agent asks a question.").waitFor();
    await page.getByRole("textbox", { name: "Message to the agent" }).fill("left");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    await expectFitting(page, "completed");
    await page.context().close();
    ({ id } = await served.create(PROMPT));
  });

  it.each(NARROW)(
    "shows one pane at a time at %i px: tabs switch by click and by keyboard",
    async (width) => {
      const page = await openAt(width);
      const tabs = page.getByRole("tablist", { name: "Panes" }).getByRole("tab");
      expect(await tabs.allInnerTexts()).toEqual(PANES);
      const expectShown = async (name: string): Promise<void> => {
        const panel = page.getByRole("tabpanel", { name });
        await panel.waitFor();
        expect(await page.getByRole("tabpanel").count()).toBe(1);
        const tab = page.getByRole("tab", { name, selected: true });
        expect(await tab.getAttribute("aria-controls")).toBe(await panel.getAttribute("id"));
        expect(await tab.getAttribute("tabindex")).toBe("0");
        expect(await page.getByRole("tab", { selected: false }).count()).toBe(PANES.length - 1);
      };
      for (const name of PANES.toReversed()) {
        await page.getByRole("tab", { name }).click();
        await expectShown(name);
      }
      for (const name of [...PANES.slice(1), PANES[0] ?? ""]) {
        await page.keyboard.press("ArrowRight");
        await expectShown(name);
        expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe("tab");
      }
      const keys = [
        "End Compare",
        "Home Transcript",
        "1 Chart",
        "2 State",
        "4 Sequence",
        "6 Problems",
        "8 Raw",
        "o Outline",
        "3 Transcript",
        "c Compare",
      ];
      for (const [key = "", name = ""] of keys.map((line) => line.split(" "))) {
        await page.keyboard.press(key);
        await expectShown(name);
      }
      await page.context().close();
    },
  );

  it("also fits in one file without a server", async () => {
    const html = await (await fetch(`${site.url}task.html`)).text();
    // Each width has its own page: after a resize, a page may still show the tabs of the width before.
    for (const width of WIDTHS) {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      await page.setContent(html);
      await page.getByRole("tab").first().waitFor();
      for (const tab of await page.getByRole("tab").all()) {
        await tab.click();
        await expectFitting(page, `${await tab.textContent()} at ${width}`);
      }
      await page.close();
    }
  });

  it("marks the first difference and shows the current event, both whole, at 1280 px", async () => {
    const page = await openAt(1280);
    await page.keyboard.press("c");
    const pane = page.getByRole("region", { name: "Compare" });
    await compareWithAnother(page);
    await pane.getByRole("button", { name: "First difference" }).click();
    const isWhole = (inner: Locator): Promise<boolean> =>
      inner.evaluate((element) => {
        const own = element.getBoundingClientRect();
        const around = element.closest(".list-scroll")?.getBoundingClientRect();
        const edges = ["left", "right", "top", "bottom"] as const;
        return edges.every((edge, index) => {
          const space = (around?.[edge] ?? 0) - own[edge];
          return index % 2 === 0 ? space <= 0.5 : space >= -0.5;
        });
      });
    const current = pane.locator('[aria-current="true"]');
    await current.getByRole("img", { name: /changed|only in/ }).waitFor();
    await expect.poll(() => isWhole(current)).toBe(true);
    await page.context().close();
  });

  it("shows the placeholder of the search whole at any width", async () => {
    const page = await openAt(390);
    // A narrow timeline has its search after it is expanded.
    await page.getByRole("button", { name: "All lanes" }).click();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      const isWhole = () =>
        page.getByRole("searchbox").evaluate((input) => {
          const context = input.ownerDocument.createElement("canvas").getContext("2d");
          const { font, paddingLeft, paddingRight } = input.ownerDocument.defaultView.getComputedStyle(input);
          context.font = font;
          const space = input.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
          return context.measureText(input.placeholder).width <= space;
        });
      await expect.poll(isWhole, { message: `${width} px` }).toBe(true);
    }
    await page.context().close();
  });
});
