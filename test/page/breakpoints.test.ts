import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allowEverything } from "../../tools/index.ts";
import { Served } from "../server/support.ts";
import { BreakableConnection } from "./breakable.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const QUESTION =
  "{ tool: ask_followup_question, input: { question: Which one?, follow_up: [{ text: left }] } }";
const LIST = "{ tool: list_files, input: { path: ., recursive: false } }";
const READ = "{ tool: read_file, input: { path: a.txt } }";
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";

describe.skipIf(!canOpenPage)("breakpoints that a click sets", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  async function openTask() {
    const served = await Served.open({
      script: `[${QUESTION}, ${LIST}, ${READ}, ${DONE}]`,
      page: BUILT_PAGE,
      files: { "a.txt": "one\n" },
      task: { permissions: { judge: allowEverything() } },
    });
    const { id } = await served.create("Look");
    await expect.poll(async () => (await served.info(id)).asks.length).toBe(1);
    const page: Page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${served.server.pageUrl}&task=${id}&pane=chart`);
    await page.getByRole("button", { name: "left" }).waitFor();
    return {
      served,
      id,
      page,
      settings: async () => (await served.fetch(`/api/tasks/${id}/breakpoints`)).json(),
    };
  }

  const openPanel = async (page: Page) => {
    await page.getByRole("button", { name: "Breakpoints" }).click();
    return page.getByRole("complementary", { name: "Breakpoints" });
  };

  it("hold the event of a transition in its state, and the next click removes the breakpoint", async () => {
    const { served, id, page, settings } = await openTask();
    await using _ = served;
    await page.getByRole("button", { name: /^running/ }).click();
    const card = page.getByRole("complementary", { name: "State running" });
    await card.getByRole("button", { name: /^Show \d+ transitions not taken/ }).click();
    const row = card.getByRole("button", { name: "Hold tool.finished in running.calling" });
    await row.click();
    await expect
      .poll(settings)
      .toMatchObject({ events: [{ type: "tool.finished", state: "running.calling" }] });
    expect(await row.getAttribute("aria-pressed")).toBe("true");
    const panel = await openPanel(page);
    await panel.getByText("before an event (1)").click();
    const box = panel.getByRole("checkbox", { name: "tool.finished in running.calling" });
    expect(await box.isChecked()).toBe(true);
    await page.getByRole("button", { name: "left" }).click();
    await panel.getByText("Held: tool.finished").waitFor();
    expect((await served.info(id)).path).toBe("running.calling");
    await box.click();
    await expect.poll(() => row.getAttribute("aria-pressed")).toBe("false");
    await page.getByText("Completed. Accept the result?").waitFor();
    expect(await settings()).toMatchObject({ events: [] });
    await page.close();
  });

  it("hold before the calls of a tool, which have not started, and not before other calls", async () => {
    const { served, id, page, settings } = await openTask();
    await using _ = served;
    const panel = await openPanel(page);
    await panel.getByRole("textbox", { name: "Name of a tool" }).fill("read_file");
    await panel.getByRole("button", { name: "Hold before its calls" }).click();
    await expect.poll(settings).toMatchObject({ events: [{ type: "call.reviewed", tool: "read_file" }] });
    await page.getByRole("button", { name: "left" }).click();
    await panel.getByText("Held: call.reviewed").waitFor();
    const { turn } = served.host.tasks.get(id)?.snapshot.context ?? {};
    expect(turn?.calls.map(({ name, phase }) => [name, phase])).toEqual([["read_file", "deciding"]]);
    await panel.getByRole("button", { name: "Close" }).click();
    await page.getByRole("combobox", { name: "Chart of a call" }).selectOption("current call");
    const call = page.getByRole("button", { name: "Hold before calls of read_file" });
    expect(await call.getAttribute("aria-pressed")).toBe("true");
    await call.click();
    await expect.poll(settings).toMatchObject({ events: [] });
    await page.getByText("Completed. Accept the result?").waitFor();
    await page.close();
  });

  it("hold the next event from their panel, until a release at the actions", async () => {
    await using served = await Served.open({
      script: "[{ tool: execute_command, input: { command: sleep 1000 } }]",
      page: BUILT_PAGE,
      task: { permissions: { judge: allowEverything() } },
    });
    const { id } = await served.create("Wait");
    const page = await browser.newPage();
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    const panel = await openPanel(page);
    await panel.getByRole("button", { name: "Hold next event" }).click();
    await expect.poll(async () => (await served.info(id)).held).toEqual([]);
    await page.getByRole("button", { name: "Release" }).click();
    await expect.poll(async () => (await served.info(id)).held).toBeUndefined();
    await page.getByRole("button", { name: "Release" }).waitFor({ state: "detached" });
    await page.close();
  });

  it("are no pause, which lets the turn end and rests the task until it is resumed (PAUSE)", async () => {
    await using served = await Served.open({
      script:
        "[{ tool: execute_command, input: { command: ls } }, { tool: attempt_completion, input: { result: Done. } }]",
      page: BUILT_PAGE,
    });
    const { id } = await served.create("List");
    const page = await browser.newPage();
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByRole("button", { name: "Pausing" }).waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect.poll(async () => (await served.info(id)).rest).toBe("paused");
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await expect.poll(async () => (await served.info(id)).rest).toBe("completed");
    await page.close();
  });

  it("are set again when the page opens the task of a server that started again", async () => {
    const { served, id, page, settings } = await openTask();
    await using _ = served;
    const portOf = (): number => Number(new URL(served.server.url).port);
    await using connection = await BreakableConnection.open(portOf());
    const address = () => served.server.pageUrl.replace(`:${portOf()}`, `:${connection.port}`);
    await page.goto(`${address()}&task=${id}&pane=chart`);
    await page
      .getByRole("button", { name: /^waiting/ })
      .first()
      .click();
    const hold = page.getByRole("button", { name: "Hold events in waiting_for_input" });
    await hold.click();
    // The button shows the click at once, before the server has it.
    await expect.poll(settings).toMatchObject({ states: ["waiting_for_input"] });
    await page.reload();
    await page
      .getByRole("button", { name: /^waiting/ })
      .first()
      .click();
    await expect.poll(() => hold.getAttribute("aria-pressed")).toBe("true");

    await served.restart();
    connection.target = portOf();
    await page.goto("about:blank");
    await page.goto(`${address()}&task=${id}`);
    await page.getByRole("button", { name: /^(Open task|Recover)$/ }).click();
    await expect.poll(settings).toMatchObject({ states: ["waiting_for_input"], events: [] });
    await page.close();
  });
});
