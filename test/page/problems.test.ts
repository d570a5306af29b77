import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { TraceEvent } from "../../visualize/trace/index.ts";
import { Tracer } from "../../visualize/trace/tracer.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { appended, commit } from "./panes/trace.ts";
import { type Site, serve } from "./site.ts";

const CALL = { callId: "c", toolUseId: "t", name: "new_task", ask: "tool" } as const;
const PROMPT: ClineMessage = { ts: 1, type: "say", say: "text", text: "Do it" };
const SUBTASK: ClineMessage = {
  ts: 2,
  type: "ask",
  ask: "tool",
  callId: "c",
  closing: "answered",
  text: JSON.stringify({ tool: "newTask", mode: "part", content: "Do your part." }),
};
const UNREACHED: ClineMessage = { ts: 2, type: "ask", ask: "api_req_failed", text: "401 invalid x-api-key" };

const traced = (taskId: string, records: readonly JournalRecord[]): readonly TraceEvent[] => {
  const tracer = new Tracer(taskId);
  return records.map((record) => tracer.add(record));
};

/** A task whose subtask failed. */
const PARENT = traced("p", [
  { seq: 0, kind: "header", version: 3, taskId: "p", createdAt: 1_000 },
  commit(1, { log: [appended(PROMPT)] }),
  commit(2, {
    log: [appended(SUBTASK), appended({ ts: 3, type: "say", say: "tool", callId: "c" })],
    decisions: [{ callId: "c", digest: "d", by: { rule: "allow-subtasks" }, at: 1 }],
    calls: [{ ...CALL, phase: "delegated", input: {}, childId: "p.1" }],
    after: "running.delegated",
  }),
  commit(3, {
    cause: { type: "subtask.ended", at: 1, callId: "c" },
    calls: [
      {
        ...CALL,
        phase: "settled",
        outcome: { kind: "failed", content: [{ type: "text", text: "It failed." }] },
      },
    ],
  }),
]);

/** The subtask: its request failed. */
const CHILD = traced("p.1", [
  {
    seq: 0,
    kind: "header",
    version: 3,
    taskId: "p.1",
    createdAt: 1_000,
    parent: { taskId: "p", rootId: "p", callId: "c" },
  },
  commit(1, { log: [appended(PROMPT)] }),
  commit(2, {
    cause: { type: "llm.failed", at: 1, failure: { code: "authentication_error" } },
    log: [appended(UNREACHED)],
    before: "streaming.receiving",
    after: "idle.failed",
  }),
  commit(3, { log: [], before: "idle.failed", after: "idle.failed" }),
]);

describe.skipIf(!canOpenPage)("the problems of a task, on the page", () => {
  let site: Site;
  let browser: Browser;
  beforeAll(async () => {
    site = await serve(BUILT_PAGE, { "family.json": JSON.stringify([...PARENT, ...CHILD]) });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  async function open(width: number): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    await page.goto(`${site.url}index.html#file=family.json&task=p&at=0`);
    await page.getByTestId("place").waitFor();
    return page;
  }
  const placeOf = (page: Page) => page.getByTestId("place").textContent();

  it.each([390, 1440])(
    "lead to their causes in one click each, into the subtask, at %i px",
    async (width) => {
      const page = await open(width);
      await page.getByRole("tab", { name: /Problems/ }).click();
      const row = page.locator(".problems-item");
      expect(await row.locator(".problems-kind").textContent()).toBe("subtask failed");
      await row.locator(".problems-row").click();
      await expect.poll(() => placeOf(page)).toBe("3");
      await row.getByRole("button", { name: "allowed by the rule allow-subtasks" }).click();
      await expect.poll(() => placeOf(page)).toBe("2");
      await row.getByRole("button", { name: "subtask p.1" }).click();
      await page.getByText("401 invalid x-api-key").first().waitFor();
      await expect.poll(() => placeOf(page)).toBe("2");
      expect(await page.locator(".problems-kind").textContent()).toBe("request failed");
      await page.locator(".problems-item").getByRole("button", { name: "subtask of p" }).click();
      await page.locator(".problems-kind", { hasText: "subtask failed" }).waitFor();
      await page.close();
    },
  );

  it("are reached by e and ⇧ E", async () => {
    const page = await open(1440);
    await page.keyboard.press("e");
    await expect.poll(() => placeOf(page)).toBe("3");
    await page.keyboard.press("e");
    await page.keyboard.press("Home");
    await expect.poll(() => placeOf(page)).toBe("0");
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => placeOf(page)).toBe("2");
    await page.keyboard.press("e");
    await expect.poll(() => placeOf(page)).toBe("3");
    await page.keyboard.press("Shift+E");
    // There is no earlier problem.
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => placeOf(page)).toBe("2");
    await page.close();
  });
});
