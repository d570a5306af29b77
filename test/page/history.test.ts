import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const script = `
turns:
  - { tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }
  - { tool: attempt_completion, input: { result: All done. } }
`;

describe.skipIf(!canOpenPage)("the addresses of the page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("are steps in the history: Back returns from a task to the list, and Forward to the task", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const { id } = await served.create("Write a.txt");
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(served.server.pageUrl);
    await page.getByRole("button", { name: /^Tasks/ }).click();
    const list = page.getByRole("treegrid");
    await list.waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe("#/tasks");
    await list.getByText("Write a.txt").click();
    const place = page.getByTestId("place");
    await place.waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/t/${id}`);
    await page.goBack();
    await list.waitFor();
    await page.goForward();
    await place.waitFor();
    // Events of one task are no steps.
    await page.keyboard.press("Home");
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/t/${id}?at=0`);
    await page.goBack();
    await list.waitFor();
    await page.close();
  });

  it("open at a message, at a call, and in a pane", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const { id } = await served.create("Write a.txt");
    await expect.poll(async () => (await served.info(id)).asks.length).toBe(1);
    const [ask] = (await served.info(id)).asks;
    await served.post(`/api/tasks/${id}/asks/${ask?.askId}/answer`, { kind: "yes" });
    await expect.poll(async () => (await served.info(id)).state).toBe("idle");
    const events = await served.trace(id);
    const asked = events.findLast(
      ({ record }) =>
        record.kind === "commit" &&
        record.log.some((change) => change.type === "message.appended" && change.message.ts === ask?.askId),
    );
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(served.server.pageUrl);
    const place = page.getByTestId("place");
    await place.waitFor();
    await page.evaluate(`location.hash = "#/t/${id}?message=${ask?.askId}&pane=why"`);
    await expect.poll(() => place.textContent()).toBe(String(asked?.seq));
    await page.getByRole("tab", { name: "Why", selected: true }).waitFor();
    const ended = events.find(
      ({ record }) =>
        record.kind === "commit" &&
        record.calls.some(({ callId, phase }) => callId === ask?.callId && phase === "settled"),
    );
    await page.evaluate(`location.hash = "#/t/${id}?call=${encodeURIComponent(ask?.callId ?? "")}"`);
    await expect.poll(() => place.textContent()).toBe(String(ended?.seq));
    await page.keyboard.press("Home");
    await expect.poll(() => place.textContent()).toBe("0");
    const [modelId] = (ask?.callId ?? "").split("/").slice(-1);
    expect(modelId).toMatch(/^toolu_/);
    await page.evaluate(`location.hash = "#/t/${id}?call=${modelId}"`);
    await expect.poll(() => place.textContent()).toBe(String(ended?.seq));
    await page.close();
  });

  it("say that a task is not there, and lead to all tasks", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    await served.create("Write a.txt");
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${served.server.pageUrl}&task=nobody`);
    await page.getByText("There is no task nobody here.").waitFor();
    await page.getByRole("button", { name: "All tasks" }).click();
    await page.getByRole("treegrid").getByText("Write a.txt").waitFor();
    await page.close();
  });
});
