import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { visiblePart } from "../../visualize/page/model/visible-part.ts";
import { eventsOf } from "../../visualize/trace/events-of.ts";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { hostPage } from "./host-page.ts";
import { commit, traceOf } from "./panes/trace.ts";
import { serve } from "./site.ts";

const KEYBOARD = { offsetTop: 0, height: 500, scale: 1 };
const PAGE = { top: 0, height: 844 };

test.each([
  ["is above the keyboard", PAGE, KEYBOARD, { top: 0, height: 500 }],
  [
    "moves with a visual viewport that moved",
    PAGE,
    { ...KEYBOARD, offsetTop: 344 },
    { top: 344, height: 500 },
  ],
  ["begins with an embedded element", { top: 120, height: 700 }, KEYBOARD, { top: 0, height: 380 }],
  ["begins below what is scrolled away", { top: -200, height: 600 }, KEYBOARD, { top: 200, height: 400 }],
  ["does not exist below the keyboard", { top: 600, height: 200 }, KEYBOARD, undefined],
  ["has no effect without a keyboard", PAGE, { ...KEYBOARD, height: 843.6 }, undefined],
  ["has no effect while a page is enlarged", PAGE, { ...KEYBOARD, height: 422, scale: 2 }, undefined],
] as const)("the visible part of the debugger %s", (_, container, seen, expected) => {
  expect(visiblePart(container, seen, 844)).toEqual(expected);
});

/** Replaces the visual viewport by another, which `keyboard(height, offsetTop)` changes as Safari does on iOS. */
const STUB = `{
  const seen = Object.assign(new EventTarget(), { height: innerHeight, offsetTop: 0, scale: 1 });
  Object.defineProperty(window, "visualViewport", { value: seen });
  window.keyboard = (height, offsetTop) => {
    Object.assign(seen, { height, offsetTop });
    for (const type of ["resize", "scroll"]) seen.dispatchEvent(new Event(type));
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  };
}`;

const COMMAND = JSON.stringify({
  tool: "execute_command",
  input: { command: Array.from({ length: 60 }, (_, at) => `echo line ${at}`).join("\n") },
});

describe.skipIf(!canOpenPage)("a keyboard that covers the page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const styleOf = (page: Page, selector: string): Promise<string | null> =>
    page.locator(selector).getAttribute("style");

  async function openAsk(served: Served, hasStub: boolean): Promise<Page> {
    const { id } = await served.create("Do it");
    const page = await (await browser.newContext(phone)).newPage();
    if (hasStub) await page.addInitScript(STUB);
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Run", exact: true }).waitFor();
    return page;
  }

  it.each([0, 344])("leaves the ask and its answers in sight, %i pixels down the page", async (top) => {
    await using served = await Served.open({ script: `[${COMMAND}]`, page: BUILT_PAGE });
    const page = await openAsk(served, true);
    expect(await styleOf(page, ".signalbox")).toBeNull();
    await page.evaluate(`keyboard(500, ${top})`);
    const bar = page.getByRole("form", { name: "Actions" });
    for (const part of [
      bar.getByText("The agent wants to run a command."),
      bar.getByRole("region", { name: "Content of the ask" }),
      bar.getByRole("textbox", { name: "Message to the agent" }),
      ...["Run", "Reject", "Send", "Cancel"].map((name) => bar.getByRole("button", { name, exact: true })),
    ]) {
      const box = await part.boundingBox();
      expect(box?.height).toBeGreaterThan(0);
      expect(box?.y).toBeGreaterThanOrEqual(top);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(top + 500);
    }
    await page.evaluate("keyboard(innerHeight, 0)");
    expect(await styleOf(page, ".signalbox")).toBe("");
    await page.context().close();
  });

  it("is not supposed where the browser lays the page out above it, or a person enlarges the page", async () => {
    await using served = await Served.open({ script: `[${COMMAND}]`, page: BUILT_PAGE });
    const page = await openAsk(served, false);
    await page.setViewportSize({ width: 390, height: 500 });
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setPageScaleFactor", { pageScaleFactor: 2 });
    await expect.poll(() => page.evaluate("visualViewport.scale")).toBe(2);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await styleOf(page, ".signalbox")).toBeNull();
    await page.context().close();
  });

  it("changes no element of a page that embeds the debugger, and moves the debugger into sight, also as that page scrolls", async () => {
    const trace = traceOf([commit(1, { after: "running" })]);
    const events = eventsOf(trace);
    await using site = await serve(BUILT_PAGE, {
      "trace.json": JSON.stringify(events),
      ...hostPage("mount(here, { source: fileSource(events) });"),
    });
    const page = await (await browser.newContext(phone)).newPage();
    await page.addInitScript(STUB);
    await page.goto(`${site.url}host.html`);
    await page.getByTestId("place").waitFor();
    const theirs = `JSON.stringify([...document.querySelectorAll("html, body, #here")].map((each) =>
      [each.getAttribute("style"), each.className, JSON.stringify(each.getBoundingClientRect())]))`;
    const before = await page.evaluate(theirs);
    await page.evaluate("keyboard(400, 100)");
    const box = await page.locator(".signalbox").boundingBox();
    expect(box?.y).toBeCloseTo(100);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeCloseTo(500);
    expect(await page.evaluate(theirs)).toBe(before);
    await page.evaluate("document.body.style.height = '3000px'; scrollTo(0, 150)");
    await expect.poll(async () => (await page.locator(".signalbox").boundingBox())?.y).toBeCloseTo(100);
    await page.context().close();
  });
});
