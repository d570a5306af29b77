import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { TaskSource, TaskView } from "../../../client/react/index.ts";
import { taskInfoSchema } from "../../../wire/http/api.ts";
import { Process } from "../../cli/process.ts";
import { chromiumPath, launch } from "../../page/browser.ts";
import { Served } from "../../server/support.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const canRun = chromiumPath !== undefined && existsSync(path.join(root, "dist/client/react/index.js"));

/** What the test's page has: the source of a server's task. */
declare const signalbox: { serverSource(task: { baseUrl: string; taskId: string }): TaskSource };

/** The library as a script of a page. */
async function script(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, "client/react/index.ts")],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "signalbox",
    platform: "browser",
    target: "es2023",
  });
  return outputFiles[0]?.text ?? "";
}

describe.skipIf(!canRun)("in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  let example: Process | undefined;
  afterEach(async () => {
    example?.child.kill();
    await example?.code;
  });

  test("the example shows a task, answers its asks and continues it", async () => {
    example = new Process("--import", ["tsx", "examples/web.ts"], { cwd: root });
    const page = await browser.newPage();
    await example.said("#token=");
    await page.goto(example.stdout.trim());
    await enter(page, "A new task", "Write it");
    await page.getByText("I write it.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("What else?", { exact: true }).waitFor();
    await enter(page, "Message", "Nothing");
    await page.locator("li", { hasText: "All done." }).first().waitFor();
    await page.getByRole("status").filter({ hasText: "The task is at rest." }).waitFor();
    expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);
  });

  test("a server's task has its messages and state after each event, and refuses with the server's code", async () => {
    const turn = "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }";
    await using served = await Served.open({
      script: `[${turn}, { tool: attempt_completion, input: { result: Done. } }]`,
    });
    const made = await served.fetch("/api/tasks", { method: "POST", json: { prompt: "Do it" } });
    const { id } = taskInfoSchema.parse(await made.json());
    const page = await browser.newPage({ bypassCSP: true });
    await page.goto(`${served.server.url}/api/openapi.json`);
    await page.addScriptTag({ content: await script() });
    const found = await page.evaluate(runScenario, { token: served.server.token, taskId: id });
    expect(found.unknown).toMatchObject({ ok: false, code: "ASK_UNKNOWN" });
    expect(found.queued).toEqual({ ok: true });
    expect(found.waiting).toEqual({ state: "waiting_for_input", queue: ["Also this"] });
    expect(found.texts).toEqual(
      served.host.tasks
        .get(id)
        ?.log.toArray()
        .map(({ text }) => text),
    );
  });
});

async function enter(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole("textbox", { name: label }).fill(text);
  await page.keyboard.press("Enter");
}

/** Runs in the page. */
async function runScenario({ token, taskId }: { token: string; taskId: string }) {
  await fetch("/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  const source = signalbox.serverSource({ baseUrl: "/", taskId });
  const until = (fits: (view: TaskView) => boolean): Promise<TaskView> =>
    new Promise((resolve) => {
      const stop = source.subscribe(() => {
        if (!fits(source.read())) return;
        queueMicrotask(() => stop());
        resolve(source.read());
      });
    });
  const asked = await until(({ state }) => state.state === "waiting_for_input");
  const unknown = await source.answer(1, { kind: "text", text: "left" });
  const queued = await source.send("Also this");
  const waiting = await until(({ queue }) => queue.length > 0);
  await source.answer(asked.state.lastMessageTs ?? 0, { kind: "text", text: "left" });
  const idle = await until(({ state }) => state.state === "idle");
  return {
    unknown,
    queued,
    waiting: { state: waiting.state.state, queue: waiting.queue.map(({ text }) => text) },
    texts: idle.messages.map(({ text }) => text),
  };
}
