import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { taskListSchema } from "../../wire/index.ts";
import { Served } from "../server/support.ts";
import { chromiumPath, launch } from "./browser.ts";

const built = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../dist/page");
const canRun = chromiumPath !== undefined && existsSync(path.join(built, "index.html"));

const script = `
turns:
  - - text: I write it.
    - { tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }
  - { tool: ask_followup_question, input: { question: Which one?, follow_up: [{ text: left }, { text: right }] } }
  - { tool: attempt_completion, input: { result: All done. } }
`;

const taskIds = async (served: Served): Promise<readonly string[]> =>
  taskListSchema.parse(await (await served.fetch("/api/tasks")).json()).tasks.map(({ id }) => id);

describe.skipIf(!canRun)("the page of a server", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("begins a task, approves, answers and forks it, and keeps the token out of its address", async () => {
    await using served = await Served.open({ script, page: built });
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(served.server.pageUrl);
    await page.getByRole("textbox", { name: "A new task" }).fill("Write a.txt");
    expect(page.url()).not.toContain("token");
    await page.getByRole("button", { name: "Begin" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("The agent asks.").waitFor();
    await page.getByRole("textbox", { name: "Words for the agent" }).fill("left");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Done: is it good?").waitFor();
    expect(await page.locator(".sb-head .sb-chip").getAttribute("data-state")).toBe("idle");
    expect(await page.locator(".sb-connection").getAttribute("data-connection")).toBe("connected");
    const [task] = await taskIds(served);
    expect(page.url()).toContain(`task=${task}`);

    await page.keyboard.press("Escape");
    await page.getByRole("slider", { name: "Place in the trace" }).focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.getByRole("button", { name: "Open it" }).waitFor();
    await expect.poll(async () => (await taskIds(served)).length).toBe(2);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("says in words that it needs the address with the token", async () => {
    await using served = await Served.open({ script, page: built });
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(served.server.url);
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").textContent()).toContain("The server refused");
    await context.close();
  });
});
