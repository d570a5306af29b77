import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createViolationPage } from "../../cli/verify/page.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { createCase } from "../../verify/cases.ts";
import { ALL_LAWS, explore, formatTestFile } from "../../verify/index.ts";
import { eventsOf } from "../../visualize/trace/events-of.ts";
import type { TraceReader } from "../../visualize/trace/moment.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { appended, commit, traceOf } from "./panes/trace.ts";
import { type Site, serve } from "./site.ts";

/** A yes counts, whatever ask it names. */
const faulty = taskMachine.provide({
  guards: { isYes: ({ event }) => event.type === "ask.answered" && event.answer.kind === "yes" },
});

/** A task whose third event leads to another state than its messages say. */
const BROKEN = traceOf([
  commit(1, { log: [appended({ ts: 1, type: "say", say: "text", text: "Do it" })] }),
  commit(2, { log: [appended({ ts: 2, type: "say", say: "text", text: "a" })], after: "idle.completed" }),
  commit(3, { log: [appended({ ts: 3, type: "say", say: "text", text: "b" })] }),
]);

/** A long task whose last event leads to another state than its messages say. */
const LONG = traceOf(
  Array.from({ length: 25_000 }, (_, index) =>
    commit(index + 1, {
      log: [appended({ ts: index + 1, type: "say", say: "text", text: "a" })],
      after: index === 24_999 ? "idle.completed" : "running",
    }),
  ),
);

const jsonOf = (trace: TraceReader): string => JSON.stringify(eventsOf(trace));

describe.skipIf(!canOpenPage)("the laws on the page", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
  const file = path.join(folder, "found.html");
  let test = "";
  let browser: Browser;
  let site: Site;
  beforeAll(async () => {
    const { bounds, input } = createCase({ calls: 0, tools: ["read"] });
    const [violation] = explore({ machine: faulty, laws: ALL_LAWS, bounds, input }).violations;
    if (violation === undefined) throw new Error("Expected a violation of the faulty machine.");
    test = formatTestFile(violation, { bounds, input }, "./machine.ts");
    writeFileSync(file, await createViolationPage({ violation, machine: faulty, input, test: () => test }));
    site = await serve(BUILT_PAGE, { "broken.json": jsonOf(BROKEN), "long.json": jsonOf(LONG) });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const placeOf = (page: Page) => page.getByTestId("place").textContent();

  it.each([390, 1440])(
    "open a counterexample at the step that breaks one, with the guard that passed, at %i px",
    async (width) => {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (line) => problems.push(line.text()));
      await page.goto(pathToFileURL(file).href);
      const banner = page.getByRole("complementary", { name: "Counterexample" });
      await banner.getByText("L8 is broken").waitFor();
      expect(await placeOf(page)).toBe("4");
      expect(await banner.locator("dd").allTextContents()).toEqual([
        "an answer to ask:api_req_failed (3)",
        "an answer to 2",
      ]);
      const taken = await banner.locator(".laws-taken").textContent();
      expect(taken).toContain("because the guard isYes passed; the guard of that name in signalbox fails");
      expect(taken).toContain("ask.id = 3, event.askId = 2");
      await page.getByRole("tab", { name: /State/ }).click();
      expect(await page.locator(".sb-sign").getAttribute("aria-label")).toBe("L8 is broken");
      // The tabs have this key as well.
      await page.getByRole("tab", { name: /State/ }).blur();
      await page.keyboard.press("Home");
      await expect.poll(() => placeOf(page)).toBe("0");
      expect(await page.locator(".sb-sign").getAttribute("aria-label")).toBe("they agree (L1)");
      await banner.getByRole("button", { name: "Go to event 4" }).click();
      await expect.poll(() => placeOf(page)).toBe("4");
      expect(problems).toEqual([]);
      await page.close();
    },
  );

  it("save a counterexample as the test that verify writes", async () => {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(file).href);
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Save as test" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("l8.test.ts");
    expect(readFileSync(await download.path(), "utf8")).toBe(test);
    await page.close();
  });

  it("lead to the event that broke one, from their row and by e, with what was expected", async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 800 } });
    await page.goto(`${site.url}index.html#file=broken.json&at=0`);
    await page.getByRole("tab", { name: "State" }).click();
    const laws = page.getByRole("region", { name: "Laws" });
    await laws.getByText("3 of 4 laws hold").waitFor();
    await laws.getByRole("button", { name: "L1 broken in event 2" }).click();
    await expect.poll(() => placeOf(page)).toBe("2");
    expect(await page.locator(".laws-versus dd").allTextContents()).toEqual([
      "a log that derives idle, the recorded state",
      "a log that derives running",
    ]);
    await page.keyboard.press("Home");
    await page.keyboard.press("e");
    await expect.poll(() => placeOf(page)).toBe("2");
    await page.close();
  });

  it("are checked to the end of a long trace after it is shown", async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 800 } });
    await page.goto(`${site.url}index.html#file=long.json&at=0&pane=state`);
    const laws = page.getByRole("region", { name: "Laws" });
    await laws.getByRole("button", { name: "L1 broken in event 25000" }).waitFor();
    await laws.getByText("3 of 4 laws hold").waitFor();
    await page.close();
  });
});
