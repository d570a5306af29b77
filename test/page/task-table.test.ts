import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TaskInfo } from "../../wire/http/api.ts";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { type Site, serve } from "./site.ts";

const NOW = Date.now();

const task = (id: string, more: Partial<TaskInfo> = {}): TaskInfo => ({
  ...{ id, title: `Title of ${id}`, state: "idle", path: "idle", rest: "completed", cost: 1, asks: [] },
  ...{ createdAt: NOW - 600_000, updatedAt: NOW - 60_000, isOpen: false, mode: "code", ...more },
});
const resting = (id: string, kind: string, text: string, errorCode = "overloaded"): TaskInfo =>
  task(id, {
    rest: kind === "api_req_failed" ? "failed" : "limited",
    lastAsk: { askId: 1, kind, text, errorCode },
  });

const WAITING = task("waiting", {
  state: "waiting_for_input",
  path: "waiting_for_input.approval",
  isOpen: true,
  requests: 3,
  asks: [{ askId: 7, kind: "command", text: "npm run build", accepts: ["yes", "no", "text"] }],
});
/** The responses of a model that writes a file. */
const WRITES = `
turns:
  - { tool: write_to_file, input: { path: a.txt, content: hi } }
  - { tool: attempt_completion, input: { result: Done. } }
`;
const STATUSES: readonly TaskInfo[] = [
  WAITING,
  task("running", { state: "running", path: "running.calling" }),
  task("streaming", { state: "streaming", path: "streaming.receiving", parentId: "running" }),
  resting("failed", "api_req_failed", "529 overloaded"),
  resting("denied", "api_req_failed", "A hook denied it.", "request_denied"),
  resting("limited", "auto_approval_max_req_reached", '{"count":20,"type":"requests"}', "request_limit"),
  resting("mistaken", "mistake_limit_reached", "3 consecutive errors.", "mistake_limit"),
  resting("ended", "api_req_failed", "It ended.", "shut_down"),
  task("interrupted", { state: "resumable", rest: "interrupted", isInterrupted: true }),
  task("cancelled", { state: "resumable", rest: "interrupted", isCancelled: true }),
  task("completed"),
];

interface Mark {
  readonly word: string;
  readonly glyph: string;
  readonly color: string;
}

describe.skipIf(!canOpenPage)("the table of tasks", () => {
  let browser: Browser;
  let site: Site;
  beforeAll(async () => {
    browser = await launch();
    site = await serve(BUILT_PAGE, {});
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  /** Opens the list of a server with these tasks. */
  async function openList(
    tasks: readonly TaskInfo[],
    {
      width = 1_440,
      colorScheme = "light",
      query = "",
    }: { width?: number; colorScheme?: "light" | "dark"; query?: string } = {},
  ): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    const list = `retry: 1000000\nevent: tasks\ndata: ${JSON.stringify({ tasks })}\n\n`;
    await page.route("**/api/**", (route) => {
      const url = new URL(route.request().url());
      return url.pathname === "/api/events"
        ? route.fulfill({ contentType: "text/event-stream", body: list })
        : route.fulfill({ contentType: "application/json", body: "{}" });
    });
    await page.goto(`${site.url}${query}`);
    if (query === "") await page.getByRole("button", { name: /^Tasks/ }).click();
    await page.getByRole("treegrid").waitFor();
    return page;
  }

  const titles = (page: Page): Promise<readonly string[]> =>
    page.locator(".sb-row-title b").allTextContents();

  it.each(["light", "dark"] as const)(
    "tells states and outcomes apart by word and glyph, each with a contrast of at least 4.5:1 in the %s theme",
    async (colorScheme) => {
      const page = await openList(STATUSES, { colorScheme });
      const marks = await page.evaluate<readonly Mark[]>(`
        [...document.querySelectorAll(".sb-status")].map((element) => ({
          word: element.textContent,
          glyph: element.querySelector("svg").innerHTML,
          color: getComputedStyle(element).color,
        }))`);
      expect(marks.map(({ word }) => word).toSorted()).toEqual(
        [...STATUSES.map(({ id }) => (id === "ended" ? "ended by its protocol" : id))].toSorted(),
      );
      expect(new Set(marks.map(({ glyph }) => glyph)).size).toBe(STATUSES.length);
      const panel = await page.evaluate<string>(
        'getComputedStyle(document.querySelector(".sb-table")).backgroundColor',
      );
      for (const { word, color } of marks)
        expect(
          contrast(channels(color), channels(panel)),
          `${word}: ${color} on ${panel}`,
        ).toBeGreaterThanOrEqual(4.5);
      await page.context().close();
    },
  );

  it("counts a task among those that need a person only while it waits", async () => {
    const page = await openList(STATUSES);
    expect(await page.locator(".sb-counts").textContent()).toMatch(
      /1 needs you.*6 failed.*1 running.*2 done.*\$11\.00 total/,
    );
    await page.context().close();
  });

  it("answers an ask in the row, and does not open the task", async () => {
    await using served = await Served.open({ script: WRITES, page: BUILT_PAGE });
    const { id } = await served.create("Write a.txt");
    await expect.poll(async () => (await served.info(id)).asks.length).toBe(1);
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
    await page.goto(served.server.pageUrl);
    await page.getByRole("button", { name: /^Tasks/ }).click();
    await page.getByRole("treegrid").getByRole("button", { name: "Save" }).click();
    await expect.poll(async () => (await served.info(id)).rest).toBe("completed");
    await page.getByRole("treegrid").waitFor();
    await page.close();
  });

  it("answers a question in the row, by a suggestion or in other words", async () => {
    const asks = (question: string): string =>
      `{ tool: ask_followup_question, input: { question: "${question}", follow_up: [{ text: left }, { text: right }] } }`;
    const done = "{ tool: attempt_completion, input: { result: Done. } }";
    await using served = await Served.open({
      script: `[${asks("Which?")}, ${asks("And now?")}, ${done}]`,
      page: BUILT_PAGE,
    });
    const { id } = await served.create("Turn");
    const questionAfter = async (answered = 0): Promise<number> => {
      await expect.poll(async () => (await served.info(id)).asks[0]?.askId ?? 0).toBeGreaterThan(answered);
      return (await served.info(id)).asks[0]?.askId ?? 0;
    };
    const first = await questionAfter();
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
    await page.goto(served.server.pageUrl);
    await page.getByRole("button", { name: /^Tasks/ }).click();
    const table = page.getByRole("treegrid");
    await table.getByRole("button", { name: "right" }).click();
    await questionAfter(first);
    await table.getByText("And now?").first().waitFor();
    await table.getByRole("textbox", { name: "Your answer" }).fill("straight on");
    await table.getByRole("button", { name: "Send" }).click();
    await expect.poll(async () => (await served.info(id)).rest).toBe("completed");
    const texts = (await served.trace(id)).flatMap(({ record }) =>
      record.kind === "commit"
        ? record.log.flatMap((change) =>
            change.type === "message.appended" ? (change.message.text ?? []) : [],
          )
        : [],
    );
    expect(texts).toEqual(expect.arrayContaining(["right", "straight on"]));
    await page.close();
  });

  it("notifies the user of a task that comes to need a person while the page is hidden, and opens it by a click", async () => {
    await using served = await Served.open({ script: WRITES, page: BUILT_PAGE });
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
    await page.addInitScript(`
      window.notices = [];
      window.Notification = class {
        static permission = "default";
        static requestPermission = async () => (Notification.permission = "granted");
        constructor(title, { body }) { window.notices.push({ title, body, open: () => this.onclick() }); }
        close() {}
      };
      Object.defineProperty(document, "hidden", { get: () => window.isHidden === true });`);
    await page.goto(served.server.pageUrl);
    await page.getByRole("button", { name: /^Tasks/ }).click();
    const ask = page.getByRole("button", { name: "Notify me" });
    await ask.click();
    await ask.waitFor({ state: "detached" });
    const notices = () => page.evaluate("window.notices.map(({ title, body }) => title + ': ' + body)");
    const seen = await served.create("Seen");
    await page.getByRole("treegrid").getByRole("button", { name: "Save" }).waitFor();
    expect(await notices()).toEqual([]);
    await page.evaluate("window.isHidden = true");
    const { id } = await served.create("Unseen");
    await expect.poll(notices).toEqual([expect.stringMatching(/^Unseen: asks to create a\.txt/)]);
    expect(id).not.toBe(seen.id);
    await page.evaluate("window.notices[0].open()");
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/t/${id}`);
    await page.close();
  });

  it("finds the tasks that have a text anywhere, shows it, and opens at it", async () => {
    await using served = await Served.open({ script: WRITES, page: BUILT_PAGE });
    const { id } = await served.create("Write a.txt");
    await served.create("Write another");
    await expect.poll(async () => (await served.info(id)).asks.length).toBe(1);
    const [ask] = (await served.info(id)).asks;
    await served.post(`/api/tasks/${id}/asks/${ask?.askId}/answer`, {
      kind: "no",
      text: "Use zebras instead",
    });
    await expect.poll(async () => (await served.info(id)).state).not.toBe("waiting_for_input");
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
    await page.goto(`${served.server.pageUrl}&q=${encodeURIComponent('text:"zebras instead"')}`);
    const hit = page.getByRole("treegrid").getByText(/Use zebras instead/);
    await hit.waitFor();
    expect(await titles(page)).toEqual(["Write a.txt"]);
    await hit.click();
    await expect.poll(() => new URL(page.url()).hash).toMatch(/^#\/t\/.+\?record=\d+$/);
    await page.getByText("Use zebras instead").first().waitFor();
    await page.close();
  });

  it("offers to run a command only where the row shows all of it, and else leads to the task", async () => {
    const whole = `npm test && ${"x".repeat(88)}`;
    const commands = { whole, long: `${whole}y`, lines: "npm test\nrm -rf build" };
    const rules = Object.entries(commands).map(([name, command]) => ({
      when: { conversation: `Run ${name}` },
      turns: [{ tool: "execute_command", input: { command } }],
    }));
    await using served = await Served.open({ script: JSON.stringify({ rules }), page: BUILT_PAGE });
    for (const name of Object.keys(commands)) await served.create(`Run ${name}`);
    const page = await browser.newPage({ viewport: { width: 1_024, height: 900 } });
    await page.goto(served.server.pageUrl);
    await page.getByRole("button", { name: /^Tasks/ }).click();
    const rowOf = (name: string) => page.locator("[data-task]").filter({ hasText: `Run ${name}` });
    await rowOf("whole").getByRole("button", { name: "Run" }).waitFor();
    const shown = rowOf("whole").getByText(whole, { exact: true });
    const [command, row] = [await shown.boundingBox(), await rowOf("whole").boundingBox()];
    if (command === null || row === null) throw new Error("The command is not in its row.");
    expect(command.x + command.width).toBeLessThan(row.x + row.width);
    expect(command.y + command.height).toBeLessThan(row.y + row.height);
    for (const name of ["long", "lines"]) {
      await rowOf(name).getByRole("button", { name: "Review …" }).waitFor();
      expect(await rowOf(name).getByRole("button", { name: "Run" }).count()).toBe(0);
    }
    await rowOf("long").getByRole("button", { name: "Review …" }).click();
    await page.getByRole("treegrid").waitFor({ state: "detached" });
    expect(await page.locator(".sb-title").textContent()).toBe("Run long");
    await page.close();
  });

  it("has the focus once its key has shown it", async () => {
    const page = await openList(STATUSES);
    await page.keyboard.press("f");
    await page.getByRole("treegrid").waitFor({ state: "detached" });
    await page.keyboard.press("f");
    await page.getByRole("treegrid").waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.getByRole("treegrid").waitFor({ state: "detached" });
    expect(await page.locator(".sb-title").textContent()).toBe("Title of waiting");
    await page.context().close();
  });

  it("leads to a task whose journal can't be read, which says so", async () => {
    const problem = { kind: "unreadable", reason: "its first line has no newline" } as const;
    const page = await openList([task("empty", { problem }), task("other")]);
    await page.getByText("Title of empty").last().click();
    await page.getByText("No event of this task can be read.").waitFor();
    await page.context().close();
  });

  it("is used by keys: a row is chosen, also one of a parent, and Enter opens it", async () => {
    const page = await openList(STATUSES);
    await page.getByRole("treegrid").focus();
    const chosen = page.locator("[aria-selected=true] .sb-row-title b");
    await page.keyboard.press("Home");
    expect(await chosen.textContent()).toBe("Title of waiting");
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowDown");
    const all = await titles(page);
    expect(await chosen.textContent()).toBe(all.at(-1));
    while ((await chosen.textContent()) !== "Title of streaming") await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowLeft");
    expect(await chosen.textContent()).toBe("Title of running");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.getByRole("treegrid").waitFor({ state: "detached" });
    expect(await page.locator(".sb-title").textContent()).toMatch(/^Title of running ▸ Title of streaming$/);
    await page.getByRole("button", { name: "Title of running" }).click();
    await expect.poll(() => page.locator(".sb-title").textContent()).toBe("Title of running");
    await page.context().close();
  });

  it("is filtered by a query, which is in the address, and names a mistake in it", async () => {
    const page = await openList(STATUSES, { query: "#q=state:failed" });
    expect(await titles(page)).toEqual(["Title of failed"]);
    const field = page.getByRole("searchbox", { name: "Search the tasks" });
    await field.fill("group:needs-you cost>0");
    await expect.poll(() => titles(page)).toEqual(["Title of waiting"]);
    await expect.poll(() => decodeURIComponent(page.url())).toContain("q=group:needs-you+cost>0");
    await field.fill("state:lost");
    await page.getByText("There is no state lost.").waitFor();
    await page.context().close();
  });

  it("shows one group at a click on its count, and all at the next", async () => {
    const page = await openList(STATUSES);
    const all = await titles(page);
    const count = page.getByRole("button", { name: "1 needs you" });
    await count.click();
    await expect.poll(() => titles(page)).toEqual(["Title of waiting"]);
    expect(await count.getAttribute("aria-pressed")).toBe("true");
    await count.click();
    await expect.poll(() => titles(page)).toEqual(all);
    await page.context().close();
  });

  it("is sorted by a column, within its groups, and by it the other way at the second time", async () => {
    const tasks = [1, 3, 2].map((cost) => task(`cost-${cost}`, { cost }));
    const page = await openList(tasks);
    const head = page.getByRole("button", { name: "Cost" });
    await head.click();
    await expect.poll(() => titles(page)).toEqual([3, 2, 1].map((cost) => `Title of cost-${cost}`));
    await head.click();
    await expect.poll(() => titles(page)).toEqual([1, 2, 3].map((cost) => `Title of cost-${cost}`));
    await page.context().close();
  });

  it("has no column that no task has a value for", async () => {
    const page = await openList([task("a")]);
    const heads = await page.getByRole("columnheader").allTextContents();
    expect(heads.map((head) => head.replace(/ [↑↓]$/, ""))).toEqual([
      "State",
      "Title",
      "Since",
      "Duration",
      "Cost",
      "Mode",
    ]);
    await page.context().close();
  });

  it("renders the visible rows of 10,000 tasks only", async () => {
    const page = await openList(Array.from({ length: 10_000 }, (_, index) => task(`t${index}`)));
    expect(await page.locator(".sb-table-row").count()).toBeLessThan(80);
    await page.getByRole("treegrid").focus();
    await page.keyboard.press("End");
    await page.locator('[aria-rowindex="10002"][aria-selected=true]').waitFor();
    await page.context().close();
  });

  it.each([390, 1_440])("shows every value within a width of 390 pixels, opened with %i", async (width) => {
    const page = await openList(STATUSES, { width });
    await page.setViewportSize({ width: 390, height: 900 });
    const outside = (): Promise<readonly string[]> =>
      page.evaluate(`
      [...document.querySelectorAll(".sb-table-row .sb-cell:not([data-empty])")].filter((cell) => {
        const { left, right, width, top, bottom } = cell.getBoundingClientRect();
        const row = cell.parentElement.getBoundingClientRect();
        return left < 0 || right > innerWidth || width === 0 || top < row.top || bottom > row.bottom;
      }).map((cell) => cell.outerHTML)`);
    await expect.poll(outside).toEqual([]);
    await page.context().close();
  });
});

/** The three channels of a computed color, 0..1. */
function channels(color: string): readonly number[] {
  const numbers = [...color.matchAll(/[\d.]+(?![a-z])/g)].map(Number).slice(0, 3);
  return color.startsWith("color(") ? numbers : numbers.map((value) => value / 255);
}

/** The contrast of two colors, as WCAG defines it. */
function contrast(a: readonly number[], b: readonly number[]): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const luminance = (color: readonly number[]): number => {
  const [red = 0, green = 0, blue = 0] = color.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
