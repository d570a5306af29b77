import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Browser } from "playwright-core";
import { firstValueFrom } from "rxjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import type { CommonTaskOptions } from "../../runtime/options.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { taskListSchema } from "../../wire/http/api.ts";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const script = `
turns:
  - - text: I write it.
    - { tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }
  - { tool: ask_followup_question, input: { question: Which one?, follow_up: [{ text: left }, { text: right }] } }
  - { tool: attempt_completion, input: { result: All done. } }
`;

const taskIds = async (served: Served): Promise<readonly string[]> =>
  taskListSchema.parse(await (await served.fetch("/api/tasks")).json()).tasks.map(({ id }) => id);

describe.skipIf(!canOpenPage)("the page of a server", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("creates a task, approves, answers and forks it, and removes the token from its address", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(served.server.pageUrl);
    await page.getByRole("textbox", { name: "A new task" }).fill("Write a.txt");
    expect(page.url()).not.toContain("token");
    await page.getByRole("button", { name: "Create task" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The agent asks a question.").waitFor();
    await page.getByRole("textbox", { name: "Message to the agent" }).fill("left");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    await page.getByRole("tab", { name: "State" }).click();
    const taken = page.getByRole("region", { name: "Transitions taken" });
    await taken.filter({ hasText: /always.* → idle\.completing/ }).waitFor();
    expect(await page.locator(".sb-head .sb-badge").getAttribute("data-state")).toBe("idle");
    expect(await page.locator(".sb-connection").getAttribute("data-connection")).toBe("connected");
    const [task] = await taskIds(served);
    expect(page.url()).toContain(`#/t/${task}`);

    await page.keyboard.press("Escape");
    await page.getByRole("slider", { name: "Event" }).focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.getByRole("button", { name: "Open task" }).waitFor();
    await expect.poll(async () => (await taskIds(served)).length).toBe(2);
    expect(problems).toEqual([]);
    await page.close();
  });

  it("shows why the task waits, and the path of its call, also of events before it was opened", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const { id } = await served.create("Write a.txt");
    await expect.poll(async () => (await served.info(id)).asks.length).toBe(1);
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByText("Waits for call 1 (write_to_file), which needs an answer.").waitFor();
    await page.getByRole("tab", { name: "Chart" }).click();
    await page.getByRole("combobox", { name: "Chart of a call" }).selectOption("Current call");
    const call = page.getByRole("region", { name: "Chart of the call" });
    await call.locator('.is-active[data-path="asking"]').click({ trial: true });
    await call.locator('.is-seen[data-path="deciding"]').waitFor();
    await page.getByRole("region", { name: "Chart of the task" }).waitFor();
    const cut = call
      .locator(".sb-state > span")
      .evaluateAll((texts) =>
        texts.filter((text) => text.scrollWidth > text.clientWidth).map((text) => text.textContent),
      );
    expect(await cut).toEqual([]);
    await page.close();
  });

  it("holds an event at a breakpoint, releases it, and a second browser on the same task sees each step", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const { id } = await served.create("Write a.txt");
    const contexts = [await browser.newContext(), await browser.newContext()] as const;
    const [mine, other] = [await contexts[0].newPage(), await contexts[1].newPage()];
    for (const page of [mine, other]) await page.goto(`${served.server.pageUrl}&task=${id}`);
    await mine.getByRole("button", { name: "Breakpoints" }).click();
    const panel = mine.getByRole("complementary", { name: "Breakpoints" });
    await panel.getByText("No event is held.").waitFor();
    await panel.getByText(/^before an event/).click();
    await panel.getByRole("checkbox", { name: "tool.finished" }).check();
    await other.getByRole("button", { name: "Breakpoints" }).click();
    await other.getByText(/^before an event \(1\)/).click();
    expect(await other.getByRole("checkbox", { name: "tool.finished" }).isChecked()).toBe(true);
    await other.getByRole("button", { name: "Save" }).click();
    await panel.getByText("Held: tool.finished").waitFor();
    const stateOf = async () => (await served.info(id)).path;
    expect(await stateOf()).toBe("running.calling");
    await other.locator('.sb-head .sb-badge[data-state="running"]').waitFor();
    await panel.getByRole("button", { name: "Step" }).click();
    await panel.getByText("Held: context.ready").waitFor();
    expect(await stateOf()).toBe("streaming.preparing");
    await panel.getByRole("button", { name: "Resume" }).click();
    for (const page of [mine, other]) await page.getByText("The agent asks a question.").waitFor();
    await panel.getByText("No event is held.").waitFor();
    for (const context of contexts) await context.close();
  });

  it("says on a card why its task rests, whether the task is open or not", async () => {
    const ask =
      "{ tool: ask_followup_question, input: { question: Which one?, follow_up: [{ text: left }] } }";
    await using served = await Served.open({ script: `[${ask}, { text: All done. }]`, page: BUILT_PAGE });
    const { host, workspace } = served;
    const options = {
      model: anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: served.mock?.url ?? "" }),
      workspace,
    };
    const start = async (prompt: string, more: Partial<CommonTaskOptions> = {}) => {
      const task = await host.create({ ...options, ...more });
      const asked = firstValueFrom(task.asks$);
      const run = task.run(prompt);
      const { id } = await asked;
      const answered = async (): Promise<void> => {
        task.answer(id, { kind: "text", text: "left" });
        await run;
      };
      return { task, run, answered };
    };
    const waiting = (await start("waiting")).run.catch(() => undefined);
    (await start("interrupted")).task.cancel();
    await (await start("limited", { limits: { requests: 1 } })).answered();
    await (await start("completed")).answered();
    const failed = await start("failed");
    await failed.answered();
    await failed.task.run("And more?");

    const page = await browser.newPage();
    const expectCards = async (statuses: Readonly<Record<string, string>>): Promise<void> => {
      await page.goto(served.server.pageUrl);
      await page.getByRole("button", { name: /^Tasks/ }).click();
      for (const [prompt, status] of Object.entries(statuses)) {
        const card = page.locator(".sb-table-row", { has: page.locator("b", { hasText: prompt }) });
        await card.waitFor();
        expect(await card.locator(".sb-status").textContent(), prompt).toBe(status);
      }
    };
    const rested = {
      interrupted: "cancelled",
      limited: "limited",
      completed: "completed",
      failed: "failed",
    };
    await expectCards({ waiting: "waiting", ...rested });
    await served.restart();
    await waiting;
    // The host that closed, and no person, ended the work.
    await expectCards({ waiting: "interrupted", ...rested });
    await page.close();
  });

  it("shows a task whose process was killed as opening it will settle it, and its past as recorded (L1)", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const { id } = await served.create("Write a.txt");
    const page = await browser.newPage();
    const badge = page.locator(".sb-head .sb-badge");
    const shows = (state: string) => badge.and(page.locator(`[data-state="${state}"]`)).waitFor();
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Save" }).waitFor();
    await shows("waiting_for_input");
    await served.host.tasks.get(id)?.flushed();
    const journal = path.join(taskFolder(served.dataDir, id), "journal.jsonl");
    const killed = await readFile(journal);
    await served.restart();
    await writeFile(journal, killed);

    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await shows("resumable");
    expect(await badge.textContent()).toBe("interrupted");
    const bar = page.getByRole("region", { name: "Actions" });
    await bar
      .getByText(/^The process ended while it waited for an answer, \d+ s ago\. Last event: /)
      .waitFor();
    await page.getByRole("tab", { name: "State" }).click();
    const state = page.locator(".sb-facts");
    await state.getByText(/^The process ended while it waited for an answer/).waitFor();
    expect(await state.textContent()).not.toMatch(/L1 holds|The agent waits/);
    await page.getByText("not answered: the process ended").waitFor();
    await page.getByRole("slider", { name: "Event" }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.getByText("You are viewing a past event.").waitFor();
    expect(await badge.textContent()).not.toContain("interrupted");
    await page.getByRole("button", { name: "Go to the end" }).click();
    await page.getByRole("button", { name: "Recover" }).click();
    await page.getByRole("textbox", { name: "Message to the agent" }).waitFor();
    await shows("resumable");
    expect(await badge.textContent()).toBe("resumable");
    await page.close();
  });

  it("shows that it needs the address with the token", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(served.server.url);
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").textContent()).toContain("The server rejected");
    await context.close();
  });
});
