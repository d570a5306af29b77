import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callMachine } from "../../machines/tool-call/call.machine.ts";
import { chartOf } from "../../visualize/chart/chart-of.ts";
import { EdgePaths } from "../../visualize/page/model/edge-paths.ts";
import { transitionRows } from "../../visualize/page/model/transition-rows.ts";
import { VisitCounter } from "../../visualize/page/model/visit-counts.ts";
import { taskChart } from "../../visualize/page/sources/task-chart.ts";
import { type TraceEvent, TraceLog } from "../../visualize/trace/index.ts";
import { violationsIn } from "./axe.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { hostPage } from "./host-page.ts";
import { snapshotOf } from "./panes/trace.ts";
import { recordTask } from "./recorded.ts";
import { type Site, serve } from "./site.ts";

/** Phones, tablets, laptops and large screens. */
const SCREENS = [
  { width: 390, height: 800 },
  { width: 768, height: 1_000 },
  { width: 1_440, height: 900 },
  { width: 2_560, height: 1_400 },
];
const LOOKS = SCREENS.flatMap((size) => (["light", "dark"] as const).map((theme) => ({ ...size, theme })));
const STATES = ["no_task", "running", "streaming", "waiting_for_input", "idle", "resumable"];

/** Mounts the debugger with the chart of another machine. */
const MOUNT = `const chart = JSON.parse(await read("chart.json"));
mount(here, { source: fileSource(events, { chart }) });`;

interface Measures {
  /** The font sizes of all texts, in pixels. */
  readonly sizes: readonly number[];
  /** The names that a line, a count or another state covers. */
  readonly covered: readonly string[];
  /** The texts that are wider than their places. */
  readonly cut: readonly string[];
  readonly crossings: number;
}

/** Measures of the chart as the browser has drawn it. */
const measured = (page: Page): Promise<Measures> =>
  page.evaluate<Measures>(`(() => {
  const all = (selector) => [...document.querySelectorAll(".sb-charts " + selector)];
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  const texts = all("*").filter((element) => hasText(element) && element.localName !== "title" && element.localName !== "option");
  const sizes = texts.map((element) => parseFloat(getComputedStyle(element).fontSize));
  const boxOf = (element) => element.getBoundingClientRect();
  const isOver = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const lines = all(".sb-wire-line").map((line) => {
    const matrix = line.getScreenCTM();
    const length = line.getTotalLength();
    return Array.from({ length: 101 }, (_, at) => line.getPointAtLength(length * at / 100).matrixTransform(matrix));
  });
  const covered = all(".sb-state-name, .sb-state-sum, .sb-state-inner, .sb-inner-states span").flatMap((name) => {
    const own = boxOf(name);
    const state = name.closest(".sb-state");
    const others = [...all(".sb-wire-count"), ...all(".sb-state").filter((other) => other !== state)];
    const isCovered = others.some((other) => isOver(own, boxOf(other))) || lines.some((points) =>
      points.some(({ x, y }) => x > own.left && x < own.right && y > own.top && y < own.bottom));
    return isCovered ? [name.textContent] : [];
  });
  const cut = all(".sb-state-name, .sb-state-sum, .sb-state-inner, .sb-inner-states span, .sb-transitions td")
    .filter((name) => name.scrollWidth > name.clientWidth + 1 && name.clientWidth > 0 || boxOf(name).right > boxOf(name.closest(".sb-state, table")).right)
    .map((name) => name.textContent);
  const turn = (a, b, c) => Math.sign((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
  const isCrossing = (a, b, c, d) => turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0;
  let crossings = 0;
  for (const [index, one] of lines.entries()) for (const other of lines.slice(index + 1))
    for (let i = 1; i < one.length; i += 1) for (let k = 1; k < other.length; k += 1)
      if (isCrossing(one[i - 1], one[i], other[k - 1], other[k])) crossings += 1;
  return { sizes, covered, cut, crossings };
})()`);

describe.skipIf(!canOpenPage)("the chart of the page", () => {
  let browser: Browser;
  let site: Site;
  let events: readonly TraceEvent[] = [];
  beforeAll(async () => {
    events = await recordTask();
    site = await serve(BUILT_PAGE, {
      "trace.json": JSON.stringify(events),
      "chart.json": JSON.stringify(chartOf(callMachine)),
      ...hostPage(MOUNT),
    });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  async function open(look: (typeof LOOKS)[number]): Promise<Page> {
    const { width, height, theme } = look;
    // The rules of accessibility are a script that the page's policy forbids.
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme, bypassCSP: true });
    await page.goto(`${site.url}#file=trace.json`);
    await page.getByRole("tab").first().waitFor();
    if (width < 1_600) await page.getByRole("tab", { name: "Chart" }).click();
    await page.locator(".sb-chart .sb-state").first().waitFor();
    return page;
  }

  const head = (page: Page, state: string) => page.locator(`[data-path="${state}"] > .sb-state-head`);
  const placeOf = (page: Page) => page.getByTestId("place").textContent();

  it.each(LOOKS)(
    "is legible at $width px, $theme: no text under 12 px, no covered or cut name, no crossings",
    async (look) => {
      const page = await open(look);
      const expectLegible = async (what: string): Promise<void> => {
        const { sizes, covered, cut, crossings } = await measured(page);
        expect(Math.min(...sizes), what).toBeGreaterThanOrEqual(12);
        expect({ covered, cut }, what).toEqual({ covered: [], cut: [] });
        expect(crossings, what).toBe(0);
        expect(await violationsIn(page, ".sb-charts"), what).toEqual([]);
      };
      await expectLegible("at rest");
      await page.getByRole("button", { name: "All transitions" }).click();
      await expect.poll(() => page.locator(".sb-wire").count()).toBe(15);
      await expectLegible("with all transitions");
      for (const state of STATES) {
        await head(page, state).click();
        await page.getByRole("complementary", { name: `State ${state}` }).waitFor();
        await expectLegible(`with ${state} open`);
      }
      await page.close();
    },
  );

  it("shows only taken transitions at rest, and the possible ones of the state that the pointer is on", async () => {
    const page = await open(LOOKS[4]!);
    const drawn = () =>
      page.locator(".sb-wire").evaluateAll((wires) => wires.map((wire) => wire.getAttribute("data-edge")));
    const atRest = await drawn();
    expect(atRest).not.toContain("no_task -> idle");
    await head(page, "no_task").hover();
    await expect.poll(drawn).toEqual(expect.arrayContaining([...atRest, "no_task -> idle"]));
    await page.close();
  });

  it("opens a state in its place: a table has its transitions, and a count goes to the last event", async () => {
    const page = await open(LOOKS[0]!);
    const trace = snapshotOf(new TraceLog(events[0]?.taskId ?? "", events));
    const chart = taskChart();
    const visits = new VisitCounter(new EdgePaths(chart)).at(trace, trace.length - 1);
    await head(page, "running").click();
    const expected = transitionRows(chart, "running", visits).filter(({ taken }) => taken !== undefined);
    const rows = page.getByRole("table").locator("tbody tr");
    expect(await rows.count()).toBe(expected.length);
    expect(await rows.first().textContent()).toContain(`×${expected[0]?.taken?.times}`);
    await page.locator('[data-path="running.calling"]').click();
    await page.getByRole("complementary", { name: "State running.calling" }).waitFor();
    const calling = transitionRows(chart, "running.calling", visits)[0];
    await rows.first().getByRole("button").click();
    await expect.poll(() => placeOf(page)).toBe(String(calling?.taken?.lastAt));
    await head(page, "running").click();
    await page.getByRole("complementary").waitFor({ state: "detached" });
    await page.close();
  });

  it("fits into a lower pane as long as its texts have space, and then scrolls", async () => {
    const page = await open({ width: 1_920, height: 1_200, theme: "light" });
    const hidden = () =>
      page.locator(".sb-charts").evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    expect(await hidden()).toBe(0);
    await page.setViewportSize({ width: 1_920, height: 900 });
    await expect.poll(hidden).toBe(0);
    await page.setViewportSize({ width: 1_920, height: 600 });
    await expect.poll(hidden).toBeGreaterThan(0);
    const lowest = head(page, "resumable");
    await lowest.hover();
    await lowest.click();
    await page.getByRole("complementary", { name: "State resumable" }).waitFor();
    await page.close();
  });

  it("marks inferred transitions, and says what a dashed line means", async () => {
    const page = await open(LOOKS[4]!);
    expect(await page.locator(".sb-wire:not(.is-inferred)").count()).toBe(0);
    await page.getByText("dashed: inferred").waitFor();
    await page.close();
  });

  it("loads the layout engine only for another machine, and draws all its states", async () => {
    const asked: string[] = [];
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${site.url}#file=trace.json&pane=chart`);
    await page.locator(".sb-chart .sb-state").first().waitFor();
    expect(asked).toContain("/embed.js");
    expect(asked).not.toContain("/embed-layout.js");
    await page.goto(`${site.url}host.html`);
    await page.getByRole("tab", { name: "Chart" }).click();
    await page.locator('.sb-chart [data-path="hooking"]').waitFor();
    expect(asked).toContain("/embed-layout.js");
    expect(await page.locator(".sb-chart .sb-state").count()).toBe(chartOf(callMachine).states.length);
    await page.close();
  });
});
