import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { GROWTH_MAX } from "../../visualize/page/model/growing-trace.ts";
import { eventsOf } from "../../visualize/trace/events-of.ts";
import type { TraceEvent } from "../../visualize/trace/index.ts";
import type { TaskInfo } from "../../wire/http/api.ts";
import { Served } from "../server/support.ts";
import { program } from "../support/program.ts";
import { BreakableConnection } from "./breakable.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { appended, commit, traceOf } from "./panes/trace.ts";
import { type Site, serve } from "./site.ts";

const SCRIPTED_PAGE = `<!doctype html><html lang="en"><title>A scripted task</title>
<link rel="stylesheet" href="embed.css"><link rel="stylesheet" href="whole.css"><div id="here"></div>
<script type="module" src="scripted.js"></script></html>`;
const WHOLE = "html, body, #here { height: 100%; margin: 0 }";

/** A page whose events, list and time come from the test, by \`window.script\`. */
const SCRIPT = `import { fileSource, mount } from "./embed.js";
const follow = [];
const lists = [];
const ticks = new Set();
const script = (window.script = {
  now: 0,
  cancelled: 0,
  ticking: () => ticks.size,
  events(batch) { for (const sink of follow) sink.events(batch); },
  live() { for (const sink of follow) sink.live(); },
  list(tasks) { for (const listener of lists) listener(tasks); },
  tick(now) { script.now = now; for (const tick of [...ticks]) tick(); },
  frame: () => new Promise((done) => requestAnimationFrame(() => setTimeout(done))),
});
const refuse = () => Promise.reject(new Error("The test has no such action."));
const names = ["create", "open", "answer", "proceed", "abort", "continue", "queue", "changePermissions", "fork",
  "proposal", "switchMode", "selectProfile", "diffCheckpoint", "restoreCheckpoint", "setBreakpoints", "step", "resume"];
const source = {
  chart: fileSource([]).chart,
  watchTasks(listener) { lists.push(listener); return () => lists.splice(lists.indexOf(listener), 1); },
  follow(taskId, sink) { follow.push(sink); return () => follow.splice(follow.indexOf(sink), 1); },
  actions: {
    ...Object.fromEntries(names.map((name) => [name, refuse])),
    async cancel() { script.cancelled += 1; },
    async breakpoints() { return { states: [], events: [], laws: false, pause: false }; },
    async choices() { return { modes: [], profiles: [] }; },
  },
};
const clock = {
  now: () => script.now,
  everySecond(tick) { ticks.add(tick); return () => ticks.delete(tick); },
};
const mounted = mount(document.getElementById("here"), { source, clock, isPage: true, connection: "connected" });
script.connect = (connection) => mounted.update({ connection });`;

/** The events of a trace whose task streams a text, which each further event grows. */
function streamed(count: number): readonly TraceEvent[] {
  const message = { ts: 1_003, type: "say", say: "text", text: "", partial: true } as const;
  const start = [
    commit(1, { after: "running", log: [appended({ ts: 1_001, type: "say", say: "text", text: "Do it" })] }),
    commit(2, {
      after: "streaming.receiving",
      log: [appended({ ts: 1_002, type: "say", say: "api_req_started" })],
      effects: [{ type: "effect.started", effect: "llm", id: "llm" }],
    }),
    commit(3, { before: "streaming.receiving", after: "streaming.receiving", log: [appended(message)] }),
  ];
  const growth = Array.from({ length: count }, (_, index) =>
    commit(index + 4, {
      ...{ before: "streaming.receiving", after: "streaming.receiving" },
      log: [{ type: "message.grown", ts: 1_003, text: `word${index} ` }],
    }),
  );
  const trace = traceOf([...start, ...growth]);
  return eventsOf(trace);
}

const infoOf = (more: Partial<TaskInfo> = {}): TaskInfo => ({
  ...{ id: "t", title: "Do it", state: "streaming", path: "streaming.receiving", cost: 0 },
  ...{ createdAt: 1_000, updatedAt: 1_003, isOpen: true, asks: [] },
  ...more,
});

const CHILD = new URL("../server/other-process.child.ts", import.meta.url);

describe.skipIf(!canOpenPage)("the page of a live task", () => {
  let site: Site;
  let browser: Browser;

  beforeAll(async () => {
    site = await serve(BUILT_PAGE, {
      "scripted.html": SCRIPTED_PAGE,
      "scripted.js": SCRIPT,
      "whole.css": WHOLE,
    });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  const call = (page: Page, name: string, ...values: unknown[]): Promise<unknown> =>
    page.evaluate(`script.${name}(${values.map((value) => JSON.stringify(value)).join(", ")})`);

  /** The page of a task with these events. */
  async function open(events: readonly TraceEvent[], info: TaskInfo, width = 1_440): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    await page.goto(`${site.url}scripted.html`);
    await page.waitForFunction("window.script !== undefined");
    await page.getByText("Loading tasks").waitFor();
    await call(page, "list", [info]);
    await page.getByText("Loading t …").waitFor();
    await call(page, "events", events);
    await call(page, "live");
    await page
      .getByTestId("place")
      .filter({ hasText: String(events.length - 1) })
      .waitFor();
    return page;
  }

  it("merges the earlier growth of a text, stays at the chosen event, and says what is merged", async () => {
    const events = streamed(GROWTH_MAX + 1_000);
    const page = await open(events.slice(0, GROWTH_MAX), infoOf());
    const placeIs = (seq: number) =>
      page
        .getByTestId("place")
        .filter({ hasText: new RegExp(`^${seq}$`) })
        .waitFor();
    for (let back = 1; back <= 3; back += 1) await page.keyboard.press("ArrowLeft");
    await placeIs(GROWTH_MAX - 4);
    await call(page, "events", events.slice(GROWTH_MAX));
    // The first four events, one for the merged growth, and the growth that is left.
    const length = 4 + 1 + GROWTH_MAX / 2;
    await page.getByText(`/ ${length - 1}`, { exact: true }).waitFor();
    // Three events back, then all events that came.
    await placeIs(length - 1 - 3 - (events.length - GROWTH_MAX));
    await page.keyboard.press("8");
    // The record has the number that the event had.
    await page
      .getByRole("region", { name: "record" })
      .getByText(String(GROWTH_MAX - 4))
      .first()
      .waitFor();
    expect(await page.getByRole("note").count()).toBe(0);
    await page.keyboard.press("Home");
    for (let on = 1; on <= 4; on += 1) await page.keyboard.press("ArrowRight");
    await placeIs(4);
    const merged = GROWTH_MAX / 2 + 1_000;
    expect(await page.getByRole("note").textContent()).toBe(
      `The page keeps ${merged} events in which this text grew as one, to save memory.`,
    );
    await page.close();
  });

  it("has Cancel under the pointer in 200 of 200 tries while events arrive", async () => {
    const events = streamed(1_200);
    const page = await open(events.slice(0, 10), infoOf());
    const cancel = page.getByRole("button", { name: "Cancel" });
    const place = await cancel.boundingBox();
    if (place === null) throw new Error("Cancel has no place.");
    for (let tries = 1; tries <= 200; tries += 1) {
      const next = 10 + 5 * tries;
      // The request of the try before has ended.
      await expect.poll(() => cancel.isEnabled()).toBe(true);
      await call(page, "events", events.slice(next - 5, next));
      await call(page, "list", [infoOf({ updatedAt: 1_000 + next })]);
      await call(page, "frame");
      await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2);
      await call(page, "frame");
      expect(await page.evaluate("script.cancelled")).toBe(tries);
    }
    expect(await page.getByText("You are viewing a past event.").count()).toBe(0);
    await page.close();
  });

  it("shows open work as lasting until now, with a clock that ticks only then", async () => {
    // From 1600 px the chart is beside the state.
    const page = await open(streamed(0), infoOf(), 1_700);
    await page.getByRole("tab", { name: "State" }).click();
    const texts = {
      chart: page.locator('[data-path="streaming"] > .sb-state-head'),
      state: page.locator(".sb-facts .sb-pill", { hasText: "llm" }),
      messages: page.locator(".messages-item", { hasText: "open" }),
      timeline: page.locator(".sb-lasting"),
    };
    await expect.poll(() => call(page, "ticking")).toBe(1);
    await call(page, "tick", 1_003 + 1_043_000);
    await expect
      .poll(() => texts.chart.getAttribute("title"))
      .toBe("streaming: entered 1 time, 17 min 23 s in all");
    for (const part of [texts.state, texts.messages, texts.timeline])
      await part.filter({ hasText: "17 min 23 s" }).waitFor();
    await call(page, "tick", 1_003 + 1_044_000);
    await texts.state.filter({ hasText: "17 min 24 s" }).waitFor();

    await call(page, "connect", "lost");
    await expect.poll(() => call(page, "ticking")).toBe(0);
    expect(await texts.state.textContent()).toContain("17 min 24 s");
    await call(page, "connect", "connected");
    await expect.poll(() => call(page, "ticking")).toBe(1);

    await call(page, "list", [infoOf({ isOpen: false, state: "idle", rest: "failed", path: "idle.failed" })]);
    await expect.poll(() => call(page, "ticking")).toBe(0);
    await texts.state.filter({ hasText: "1 ms" }).waitFor();
    await page.close();
  });

  it("has a timeline until now, whose open wait folds and grows, also while a past event is shown", async () => {
    const waiting = traceOf([
      commit(1, { log: [appended({ ts: 1_001, type: "say", say: "text", text: "Do it" })] }),
      commit(2, {
        after: "waiting_for_input.approval",
        log: [appended({ ts: 1_002, type: "ask", ask: "command", text: "npm test" })],
        effects: [{ type: "effect.started", effect: "ask", id: "ask:1002" }],
      }),
    ]);
    const page = await open(
      [waiting.event(0), waiting.event(1), waiting.event(2)],
      infoOf({ state: "waiting_for_input", path: "waiting_for_input.approval" }),
    );
    const track = page.getByRole("slider", { name: "Event" });
    const now = page.locator(".sb-now-line");
    await call(page, "tick", 1_002 + 4_000);
    await now.waitFor();
    expect(await page.locator(".sb-notch").count()).toBe(0);
    await call(page, "tick", 1_002 + 1_043_000);
    const notch = (length: string) =>
      page.getByRole("button", { name: `Open ${length} waiting for you`, exact: true });
    await notch("17 min 23 s").waitFor();
    await track.focus();
    await page.keyboard.press("Home");
    await page.getByTestId("place").filter({ hasText: "0" }).waitFor();
    await call(page, "tick", 1_002 + 1_044_000);
    await notch("17 min 24 s").waitFor();
    const right = async (part: typeof now): Promise<number> => {
      const { x = 0, width = 0 } = (await part.boundingBox()) ?? {};
      return x + width;
    };
    expect(Math.abs((await right(track)) - (await right(now)))).toBeLessThan(10);
    await page.close();
  });

  it("does not tick for a task at rest", async () => {
    const rested = traceOf([commit(1, { after: "idle.failed" })]);
    const page = await open(
      [rested.event(0), rested.event(1)],
      infoOf({ state: "idle", path: "idle.failed", rest: "failed" }),
    );
    expect(await call(page, "ticking")).toBe(0);
    await page.close();
  });
});

const script = `
turns:
  - - text: I write it.
    - { tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }
  - { tool: ask_followup_question, input: { question: Which one?, follow_up: [{ text: left }, { text: right }] } }
  - { tool: attempt_completion, input: { result: All done. } }
`;
const LOST = "Connection lost: reconnecting; actions wait";

describe.skipIf(!canOpenPage)("the page of a server", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  const portOf = (served: Served): number => Number(new URL(served.server.url).port);

  it.each([390, 1440])(
    "has no actions without a connection, says so, and has them again, at %i px",
    async (width) => {
      await using served = await Served.open({ script, page: BUILT_PAGE });
      await using connection = await BreakableConnection.open(portOf(served));
      const { id } = await served.create("Write a.txt");
      const context = await browser.newContext({ viewport: { width, height: 900 } });
      const page = await context.newPage();
      const address = served.server.pageUrl.replace(`:${portOf(served)}`, `:${connection.port}`);
      await page.goto(`${address}&task=${id}`);
      const named = (name: string) => page.getByRole("button", { name, exact: true });
      await named("Save").waitFor();
      await named("Breakpoints").click();
      const waiting = ["Save", "Always …", "Reject", "Cancel", "Hold next event", "Step", "Resume"].map(
        named,
      );
      const live = page.getByTitle("follow the newest event");
      for (const button of [...waiting, live]) await expect.poll(() => button.isEnabled()).toBe(true);

      await connection.cut();
      await page.getByRole("alert").filter({ hasText: LOST }).waitFor();
      for (const button of [...waiting, live]) expect(await button.isDisabled()).toBe(true);

      await connection.repair();
      await page.getByText(LOST).waitFor({ state: "detached" });
      for (const button of [...waiting, live]) expect(await button.isEnabled()).toBe(true);
      await named("Save").click();
      await page.getByText("The agent asks a question.").waitFor();
      await context.close();
    },
  );

  it("says that a server which started again rejects it", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    await using connection = await BreakableConnection.open(portOf(served));
    const { id } = await served.create("Write a.txt");
    const context = await browser.newContext();
    const page = await context.newPage();
    const address = served.server.pageUrl.replace(`:${portOf(served)}`, `:${connection.port}`);
    await page.goto(`${address}&task=${id}`);
    await page.getByRole("button", { name: "Save" }).waitFor();
    await connection.cut();
    await served.restart();
    connection.target = portOf(served);
    await connection.repair();
    await page.getByText("Connection lost: the server rejected this page.").waitFor();
    await context.close();
  });

  it("says that the process of a task ended while a tool ran, and recovers the task", async () => {
    const turns = `[{ tool: execute_command, input: { command: "sleep 1000" } }]`;
    await using served = await Served.open({ script: turns, page: BUILT_PAGE });
    const { id } = await served.create("Sleep");
    await expect.poll(async () => (await served.info(id)).asks.length).toBe(1);
    const [ask] = (await served.info(id)).asks;
    await served.post(`/api/tasks/${id}/asks/${ask?.askId}/answer`, { kind: "yes" });
    await expect.poll(async () => (await served.info(id)).path).toBe("running.commanding");
    await served.host.tasks.get(id)?.flushed();
    const journal = path.join(taskFolder(served.dataDir, id), "journal.jsonl");
    const killed = await readFile(journal);
    await served.restart();
    await writeFile(journal, killed);

    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    const bar = page.getByRole("region", { name: "Actions" });
    await bar.getByText(/^The process ended while a tool ran, \d+ s ago\./).waitFor();
    await page.getByRole("tab", { name: "State" }).click();
    expect(await page.locator(".sb-facts").textContent()).not.toMatch(/The agent is running|L1 holds/);
    await bar.getByRole("button", { name: "Recover" }).click();
    await page.getByRole("textbox", { name: "Message to the agent" }).waitFor();
    await page.getByText("The process ended while").first().waitFor({ state: "detached" });
    await page.close();
  });

  it("follows a task that another process runs, says so, and can't open it", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const child = spawn(process.execPath, [await program(CHILD), served.dataDir, served.workspace], {
      stdio: ["pipe", "inherit", "inherit"],
    });
    const exited = once(child, "exit");
    const known = async () => (await served.fetch("/api/tasks/elsewhere")).status;
    await expect.poll(known, { timeout: 20_000 }).toBe(200);
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${served.server.pageUrl}&task=elsewhere`);
    const bar = page.getByRole("region", { name: "Actions" });
    await bar.getByText("Another process runs this task.").waitFor();
    expect(await bar.getByRole("button", { name: "Open task" }).isDisabled()).toBe(true);
    const badge = page.locator(".sb-head .sb-badge");
    await expect.poll(() => badge.getAttribute("data-state")).toBe("waiting_for_input");
    child.stdin.write("seen\n");
    await expect.poll(() => badge.getAttribute("data-state")).toBe("idle");
    expect(await exited).toEqual([0, null]);
    await bar.getByText("This task is recorded and not open.").waitFor();
    await page.close();
  });
});
