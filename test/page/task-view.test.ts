import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { longTrace, TURN } from "../../bench/page/long-trace.ts";
import { tracePage } from "../../server/page/trace-page.ts";
import type { TraceEvent } from "../../visualize/trace/index.ts";
import { violationsIn } from "./axe.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { CHILD, PARENT } from "./family.ts";
import { hostPage } from "./host-page.ts";
import { recordTask } from "./recorded.ts";
import { type Site, serve } from "./site.ts";

/** Mounts the debugger with the storage key of the address. */
const MOUNT = `const storageKey = new URLSearchParams(location.search).get("key") ?? undefined;
mount(here, { source: fileSource(events), storageKey });`;

const SIZES = [
  { width: 390, height: 844 },
  { width: 768, height: 1_000 },
  { width: 1_440, height: 900 },
  { width: 2_560, height: 1_400 },
];
const LOOKS = SIZES.flatMap((size) => (["light", "dark"] as const).map((theme) => ({ ...size, theme })));

describe.skipIf(!canOpenPage)("the view of one task", () => {
  let browser: Browser;
  let site: Site;
  let events: readonly TraceEvent[] = [];
  let oneFile = "";
  beforeAll(async () => {
    events = await recordTask();
    oneFile = await tracePage(events, { title: "A task", page: BUILT_PAGE });
    site = await serve(BUILT_PAGE, {
      "trace.json": JSON.stringify(events),
      "long.jsonl": longTrace(100 * TURN),
      "family.json": JSON.stringify([...PARENT, ...CHILD]),
      ...hostPage(MOUNT),
    });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  /** A page, and its errors and warnings: a violation of the page's policy is one. */
  async function open(hash: string, { width = 1_440, height = 900, start = "index.html" } = {}) {
    const context = await browser.newContext({ viewport: { width, height } });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (line) => {
      if (line.type() === "error" || line.type() === "warning") problems.push(line.text());
    });
    await page.goto(`${site.url}${start}${hash}`);
    await page.getByTestId("place").waitFor();
    return { page, problems, close: () => context.close() };
  }
  const placeOf = (page: Page) => page.getByTestId("place").textContent();
  const widthOf = async (page: Page, name: string) =>
    Math.round((await page.getByRole("region", { name, exact: true }).boundingBox())?.width ?? 0);
  const divider = (page: Page, name: string) => page.getByRole("separator", { name });

  describe("in columns", () => {
    it("has the outline, the transcript and the inspector side by side, and the timeline below", async () => {
      const { page, close } = await open("#file=trace.json");
      const boxes = [];
      for (const name of ["Outline", "Transcript", "Panes", "Timeline"])
        boxes.push(await page.getByRole("region", { name, exact: true }).boundingBox());
      const [outline, transcript, inspector, timeline] = boxes.map((box) => box ?? { x: 0, y: 0, width: 0 });
      expect(outline!.x + outline!.width).toBeLessThan(transcript!.x);
      expect(transcript!.x + transcript!.width).toBeLessThan(inspector!.x);
      expect(timeline!.y).toBeGreaterThan(outline!.y);
      const tabs = await page.getByRole("tab").allInnerTexts();
      expect(tabs.map((tab) => tab.split("\n")[0])).toEqual([
        ...["Why", "State", "Chart", "Problems", "Sequence", "Raw"],
      ]);
      await close();
    });

    it("resizes them by keys and by a drag under the strict policy, and remembers the sizes", async () => {
      const { page, problems, close } = await open("#file=trace.json");
      const before = await widthOf(page, "Outline");
      await divider(page, "Width of the outline").press("ArrowRight");
      await expect.poll(() => widthOf(page, "Outline")).toBeGreaterThan(before + 30);
      const place = await divider(page, "Width of the transcript").boundingBox();
      if (place === null) throw new Error("The divider has no place.");
      const transcript = await widthOf(page, "Transcript");
      await page.mouse.move(place.x + 4, place.y + 100);
      await page.mouse.down();
      await page.mouse.move(place.x - 96, place.y + 100, { steps: 4 });
      await page.mouse.up();
      await expect.poll(() => widthOf(page, "Transcript")).toBe(transcript - 100);
      const sizes = [await widthOf(page, "Outline"), await widthOf(page, "Transcript")];
      await page.reload();
      await page.getByTestId("place").waitFor();
      expect([await widthOf(page, "Outline"), await widthOf(page, "Transcript")]).toEqual(sizes);
      await divider(page, "Width of the outline").dblclick();
      await expect.poll(() => widthOf(page, "Outline")).toBe(before);
      expect(problems).toEqual([]);
      await close();
    });

    it("hides a pane by Enter on its divider, by its button, by a drag to the edge and by its key, and remembers it", async () => {
      const { page, close } = await open("#file=trace.json");
      const outline = page.getByRole("region", { name: "Outline", exact: true });
      const shown = page.getByRole("button", { name: "Show the outline" });
      const width = await widthOf(page, "Outline");
      await divider(page, "Width of the outline").press("Enter");
      await outline.waitFor({ state: "detached" });
      await page.reload();
      await shown.click();
      expect(await widthOf(page, "Outline")).toBe(width);
      await page.getByRole("button", { name: "Hide the outline" }).click();
      await outline.waitFor({ state: "detached" });
      await page.keyboard.press("o");
      await outline.and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Shift+O");
      await outline.waitFor({ state: "detached" });
      await page.keyboard.press("Shift+O");
      const place = await divider(page, "Width of the outline").boundingBox();
      if (place === null) throw new Error("The divider has no place.");
      await page.mouse.move(place.x + 4, place.y + 100);
      await page.mouse.down();
      await page.mouse.move(10, place.y + 100, { steps: 4 });
      await page.mouse.up();
      await outline.waitFor({ state: "detached" });
      await page.keyboard.press("i");
      await page.getByRole("tablist").waitFor({ state: "detached" });
      await page.keyboard.press("7");
      await page.getByRole("tab", { name: "Why", selected: true }).waitFor();
      await close();
    });

    it("remembers nothing in an embedding page, unless that has a key", async () => {
      const { page, close } = await open("", { start: "host.html" });
      await page.keyboard.press("Tab");
      await divider(page, "Width of the outline").press("ArrowRight");
      expect(await page.evaluate("localStorage.length")).toBe(0);
      await page.goto(`${site.url}host.html?key=theirs`);
      await divider(page, "Width of the outline").press("ArrowRight");
      await expect.poll(() => page.evaluate("Object.keys(localStorage).join()")).toBe("theirs");
      await close();
    });

    it("resizes and hides panes where the browser has no storage", async () => {
      const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(error.message));
      await page.setContent(oneFile);
      expect(await page.evaluate("try { localStorage.length } catch (error) { error.name }")).toBe(
        "SecurityError",
      );
      await divider(page, "Width of the outline").press("ArrowRight");
      await divider(page, "Width of the outline").press("Enter");
      await page.getByRole("button", { name: "Show the outline" }).waitFor();
      expect(problems).toEqual([]);
      await page.close();
    });

    it("has the comparison in place of the transcript and the inspector", async () => {
      const { page, close } = await open("#file=trace.json");
      await page.keyboard.press("c");
      await page.getByRole("region", { name: "Compare" }).waitFor();
      expect(await page.getByRole("tab").count()).toBe(0);
      await page.getByRole("tree", { name: "Outline" }).waitFor();
      await page.keyboard.press("3");
      await page.getByRole("region", { name: "Transcript" }).and(page.locator(":focus")).waitFor();
      await close();
    });
  });

  describe("as an outline", () => {
    it("marks the entry of the current event, and goes to the event of an entry", async () => {
      const { page, close } = await open("#file=trace.json&at=28");
      const tree = page.getByRole("tree", { name: "Outline" });
      const current = tree.locator('[aria-current="true"]');
      expect(await current.locator(".outline-text").textContent()).toMatch(/^Edit src\/basket\.js/);
      await tree.getByRole("treeitem", { name: /^node check\.js interrupted/ }).click();
      await expect.poll(() => placeOf(page)).toBe("33");
      await expect.poll(() => current.locator(".outline-text").textContent()).toBe("node check.js");
      await close();
    });

    it("can be used by keyboard: arrows choose, fold and unfold, Enter opens", async () => {
      const { page, close } = await open("#file=trace.json&at=0");
      const tree = page.getByRole("tree", { name: "Outline" });
      const active = () =>
        tree.evaluate((element) => {
          const id = element.getAttribute("aria-activedescendant") ?? "";
          return element.ownerDocument.getElementById(id)?.querySelector(".outline-text")?.textContent;
        });
      await tree.focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowDown");
      expect(await active()).toBe("I look around first.");
      const turn = tree.getByRole("treeitem", { name: /^▾? ?I look around first/ });
      expect(await turn.getAttribute("aria-expanded")).toBe("true");
      expect(await turn.getAttribute("aria-level")).toBe("1");
      const rows = await tree.getByRole("treeitem").count();
      await page.keyboard.press("ArrowLeft");
      await expect.poll(() => tree.getByRole("treeitem").count()).toBe(rows - 2);
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      expect(await active()).toBe("List .");
      await page.keyboard.press("Enter");
      await expect.poll(() => placeOf(page)).toBe("8");
      await page.keyboard.press("ArrowLeft");
      expect(await active()).toBe("I look around first.");
      expect(await placeOf(page)).toBe("8");
      await close();
    });

    it("opens a subtask, from which the header leads back to its parent", async () => {
      const { page, close } = await open("#file=family.json&task=p");
      const tree = page.getByRole("tree", { name: "Outline" });
      await tree.getByRole("treeitem", { name: /^Subtask 1: .*failed/ }).click();
      const title = page.locator(".sb-title");
      await title.filter({ hasText: "Do it ▸ Do it" }).waitFor();
      expect(await page.locator(".sb-outcome").textContent()).toBe("failed: 401 invalid x-api-key");
      await title.getByRole("button", { name: "Do it" }).click();
      await title.filter({ hasNotText: "▸" }).waitFor();
      await close();
    });

    it("shows only problems on demand", async () => {
      const { page, close } = await open("#file=trace.json");
      const tree = page.getByRole("tree", { name: "Outline" });
      await page.getByRole("button", { name: "Problems only" }).click();
      await expect
        .poll(() => tree.locator(".outline-text").allTextContents())
        .toEqual(["The comparison leaves out the tenth piece. I correct it:"]);
      await close();
    });

    it("renders a bounded number of rows of a long task, and shows the current one", async () => {
      const { page, close } = await open("#file=long.jsonl&at=1016");
      const tree = page.getByRole("tree", { name: "Outline" });
      const current = tree.locator('[aria-current="true"]');
      await current.getByText("Read src/part-50.ts").waitFor();
      expect(await current.getAttribute("aria-setsize")).toBe("1");
      expect(await tree.getByRole("treeitem").count()).toBeLessThan(70);
      await close();
    });
  });

  describe("as a transcript", () => {
    it.each([
      ["messages", false],
      ["conversation", true],
    ])("is opened by an address with pane=%s", async (pane, isAsModel) => {
      const { page, close } = await open(`#file=trace.json&pane=${pane}`);
      await page.getByRole("switch", { name: "As the model saw it", checked: isAsModel }).waitFor();
      await close();
    });

    it("keeps the switch in its address when another pane is shown", async () => {
      const { page, close } = await open("#file=trace.json&pane=conversation");
      await page.getByRole("tab", { name: "Raw" }).click();
      await expect.poll(() => page.url()).toContain("pane=raw&as=model");
      await page.reload();
      await page.getByRole("switch", { checked: true }).waitFor();
      await page.getByRole("tab", { name: "Raw", selected: true }).waitFor();
      await close();
    });

    it.each(["the switch", "5"])("shows the same turn when %s changes what it shows", async (by) => {
      const { page, close } = await open("#file=long.jsonl");
      const list = page.locator(".list-scroll");
      /** The number of the turn at the top of the list. */
      const topTurn = (): Promise<number> =>
        list.evaluate((element) => {
          const { top } = element.getBoundingClientRect();
          const items = [...element.querySelectorAll("ol > li")].filter(
            (item) => item.getBoundingClientRect().bottom > top + 1,
          );
          return Number(
            /(?:turn |part-|part = )(\d+)/.exec(items.map((item) => item.textContent).join())?.[1],
          );
        });
      const show = () => (by === "5" ? page.keyboard.press("5") : page.getByRole("switch").click());
      await page.locator("li.messages-item", { hasText: "of turn 80" }).first().scrollIntoViewIfNeeded();
      await list.evaluate((element) => {
        const item = [...element.querySelectorAll("ol > li")].find(({ textContent }) =>
          textContent.includes("of turn 80"),
        );
        element.scrollTop += (item?.getBoundingClientRect().top ?? 0) - element.getBoundingClientRect().top;
      });
      expect(await topTurn()).toBe(80);
      await show();
      await page.getByRole("switch", { checked: true }).waitFor();
      await expect.poll(topTurn).toBe(80);
      await show();
      await page.getByRole("switch", { checked: false }).waitFor();
      await expect.poll(topTurn).toBe(80);
      await close();
    });

    it("folds the environment of a request", async () => {
      const { page, close } = await open("#file=trace.json&pane=conversation");
      const environment = page.locator(".text-folded", { hasText: /^environment, \d+ lines$/ }).first();
      expect(await page.getByText("environment_details").count()).toBe(0);
      await environment.locator("summary").click();
      await page.getByText("<environment_details>").first().waitFor();
      await close();
    });
  });

  it("shows the record and the messages of the event as JSON, which can be copied", async () => {
    const { page, close } = await open("#file=trace.json&at=28&pane=raw");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy the record" }).click();
    await page.getByText("copied").waitFor();
    const copied: unknown = JSON.parse(await page.evaluate<string>("navigator.clipboard.readText()"));
    expect(copied).toEqual(events[28]?.record);
    await page.getByRole("region", { name: "2 messages" }).waitFor();
    await close();
  });

  it("names the outcome of its task, its age and its cost in the header", async () => {
    const { page, close } = await open("#file=trace.json");
    const head = page.locator(".sb-head");
    expect(await head.locator(".sb-outcome").textContent()).toBe("completed");
    expect(await head.locator(".sb-head-age").textContent()).toMatch(/^\d+ s$/);
    expect(await head.locator(".sb-head-cost").textContent()).toContain("$0.0");
    await close();
  });

  it.each(LOOKS)("has no serious fault of accessibility at $width px, $theme", async (look) => {
    const { width, height, theme } = look;
    // The rules of accessibility are a script that the page's policy forbids.
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme, bypassCSP: true });
    await page.goto(`${site.url}index.html#file=trace.json&at=36`);
    await page.getByRole("tab").first().waitFor();
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      expect(await violationsIn(page, ".signalbox"), `${await tab.textContent()}`).toEqual([]);
    }
    await page.keyboard.press("5");
    await page.getByRole("switch", { checked: true }).waitFor();
    expect(await violationsIn(page, ".signalbox"), "as the model saw it").toEqual([]);
    await page.close();
  });
});
