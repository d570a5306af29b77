import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violationsIn } from "./axe.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { openParallel, type ServedParallel } from "./parallel.ts";

const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};
const DESKTOP: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };

/** A line of the panel: the state, the number and name, the model, what the subtask waits for, and its tokens and cost. */
const LINES = [
  /^waiting1 Rewrite the text of the start page\.\S+\/\S+asks to create index\.md \(\+3 -0\)\d+ s \d{4} tokens \$0\.0\d+SaveReject$/,
  /^waiting2 Run the tests of the site\.\S+\/\S+asks to run `npm test -- --coverage`.*RunReject$/,
  /^running3 Make the images smaller\.\S+\/\S+runs a command\d+ s \d{4} tokens \$0\.0\d+$/,
  /^streaming4 Write the notes of the release\.\S+\/\S+receives a response\d+ s 0 tokens *$/,
  /^running5 Check all links\.\S+\/\S+waits for its subtasks/,
  /^waiting5\.1 Check the links between pages\.\S+\/\S+asks: Which pages\?.*AllSend$/,
  /^completed5\.2 Check the links to other sites\./,
];

describe.skipIf(!canOpenPage)("a task whose subtasks work at the same time, on the page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  async function open(
    { served, id }: ServedParallel,
    options: BrowserContextOptions,
    fields = "",
  ): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    page.setDefaultTimeout(15_000);
    await page.goto(`${served.server.pageUrl}&task=${id}${fields}`);
    await page.getByTestId("place").waitFor();
    return page;
  }
  const panelOf = (page: Page): Locator => page.getByRole("region", { name: "Subtasks", exact: true });
  const lineOf = (page: Page, text: string): Locator =>
    panelOf(page).getByRole("listitem").filter({ hasText: text });

  it("has a line for each of them, at any depth, and the cost of all", async () => {
    await using parallel = await openParallel({ page: BUILT_PAGE });
    const page = await open(parallel, DESKTOP);
    const lines = panelOf(page).getByRole("listitem");
    for (const [nth, line] of LINES.entries())
      await expect.poll(() => lines.nth(nth).textContent()).toMatch(line);
    expect(await lines.count()).toBe(LINES.length);
    const head = panelOf(page).getByRole("button", { expanded: true });
    await head.filter({ hasText: "3 need you · 3 running · 1 done · 1 waits for its turn" }).waitFor();
    const costs = await panelOf(page).locator(".subtask-numbers > span").allTextContents();
    const own = (await page.locator(".sb-head-cost").textContent())?.split(" ")[0] ?? "";
    const sum = [own, ...costs.filter((text) => text.startsWith("$"))].reduce(
      (total, cost) => total + Number(cost.slice(1)),
      0,
    );
    const total = /\$([\d.]+) with this task/.exec((await head.textContent()) ?? "")?.[1];
    expect(Number(total)).toBeCloseTo(sum, 3);
    expect(await violationsIn(page, ".sb-subtasks")).toEqual([]);
    await lineOf(page, "Make the images smaller.").getByRole("button").click();
    await expect.poll(() => page.url()).toContain(`/t/${parallel.id}.3`);
    await page.context().close();
  });

  it.each([
    ["a phone", PHONE],
    ["a desktop", DESKTOP],
  ])("answers each ask by one click on %s, and shows the next subtask as it starts", async (_, options) => {
    await using parallel = await openParallel({ page: BUILT_PAGE });
    const page = await open(parallel, options);
    await lineOf(page, "1 Rewrite").getByRole("button", { name: "Save" }).click();
    await lineOf(page, "2 Run").getByRole("button", { name: "Reject" }).click();
    await lineOf(page, "5.1 Check").getByRole("button", { name: "All" }).click();
    const head = panelOf(page).getByRole("button").first();
    await head.filter({ hasText: /Subtasks\s*2 running · 6 done\$/ }).waitFor();
    if (options === PHONE) {
      expect(await panelOf(page).getByRole("listitem").count()).toBe(0);
      await head.click();
    }
    await lineOf(page, "6 Publish the site.").filter({ hasText: "completed" }).waitFor();
    await page.getByText("Result of subtask 6", { exact: true }).waitFor();
    const { host } = parallel.served;
    expect(host.tasks.get(parallel.id)?.snapshot.value).toEqual({ running: "delegated" });
    await page.context().close();
  });

  it("names all that need a person by number in its header, and leads to each", async () => {
    await using parallel = await openParallel({ page: BUILT_PAGE });
    const page = await open(parallel, DESKTOP);
    const notice = page.locator(".sb-needs-you-notice");
    await notice.filter({ hasText: "3 subtasks need you:" }).waitFor();
    const links = notice.getByRole("button");
    expect(await links.allTextContents()).toEqual([
      "1 Rewrite the text of the start page.",
      "2 Run the tests of the site.",
      "5.1 Check the links between pages.",
    ]);
    await links.last().click();
    await expect.poll(() => page.url()).toContain(`/t/${parallel.id}.5.1`);
    await page.getByRole("button", { name: "All", exact: true }).waitFor();
    await page.context().close();
  });

  it("has a lane for each, also for two that a subtask started at the same time, with its name and state", async () => {
    await using parallel = await openParallel({ page: BUILT_PAGE });
    const page = await open(parallel, DESKTOP);
    await page.getByRole("button", { name: "All lanes" }).click();
    const names = page.locator(".sb-lane-names li");
    const lanes = ["subtask 1", "subtask 2", "subtask 3", "subtask 4", "subtask 5", "↳ 5.1", "↳ 5.2"];
    await expect
      .poll(async () => (await names.allTextContents()).filter((name) => /subtask|↳/.test(name)))
      .toEqual(lanes);
    await page.getByRole("button", { name: "List" }).click();
    const bars = page.getByRole("region", { name: "Bars of the timeline" }).locator("tr[data-kind=subtask]");
    const texts = [
      ...["1 Rewrite the text of the start page. (waiting)", "2 Run the tests of the site. (waiting)"],
      ...["3 Make the images smaller. (running)", "4 Write the notes of the release. (streaming)"],
      ...["5 Check all links. (running)", "5.1 Check the links between pages. (waiting)"],
      "5.2 Check the links to other sites. (completed)",
    ];
    expect(await names.filter({ hasText: "↳ 5.1" }).getAttribute("title")).toBe(
      "5.1 Check the links between pages.",
    );
    for (const text of texts) await bars.filter({ hasText: `subtask ${text},` }).waitFor();
    await page.context().close();
  });

  it("says what it waits for in Why and State, in its outline and in its transcript", async () => {
    await using parallel = await openParallel({ page: BUILT_PAGE });
    const page = await open(parallel, DESKTOP, "&pane=why");
    const awaited = page.getByRole("region", { name: "Awaited subtasks" });
    await awaited.getByText("Waits for 5 subtasks.").waitFor();
    expect(await awaited.getByRole("listitem").count()).toBe(5);
    await awaited.getByText("Start a subtask in mode later: waits for its turn.").waitFor();
    const rows = page.getByRole("tree", { name: "Outline" }).getByRole("treeitem");
    await rows.filter({ hasText: /Subtask 5: Check all links\..*running/ }).waitFor();
    await rows.filter({ hasText: /in mode later.*waits for its turn/ }).waitFor();
    await page.getByText("Waits for its turn: Start a subtask in mode later").waitFor();
    await page.getByRole("tab", { name: "State" }).click();
    await page.getByText("new_task subtask 5", { exact: true }).waitFor();
    await page.context().close();
  });

  it("has controls that a finger hits, and puts the focus on the first answer", async () => {
    await using parallel = await openParallel({ page: BUILT_PAGE });
    const page = await open(parallel, PHONE);
    await lineOf(page, "5.1 Check").waitFor();
    const heights = await panelOf(page)
      .locator("button, input")
      .evaluateAll((controls) => controls.map((control) => control.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    await page.keyboard.press("a");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Save");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await page.context().close();
  });
});
