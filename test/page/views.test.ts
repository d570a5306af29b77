import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { canOpenPage } from "./browser.ts";
import { openShot, type Shot } from "./gallery/shots.ts";
import { openViews } from "./open-views.ts";
import { viewOf } from "./views.ts";

const PHONE: Shot = { width: 390, height: 844, theme: "light" };
const SCREEN: Shot = { width: 1440, height: 900, theme: "light" };

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error("Expected an element with a box.");
  return { left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height };
}

describe.skipIf(!canOpenPage)("the page", () => {
  const opened = openViews();

  const open = (name: string, shot: Shot): Promise<Page> => {
    const { browser, places } = opened();
    return openShot(browser, viewOf(name).open, shot, places);
  };

  it("shows the first task of the list above the middle of a phone", async () => {
    const page = await open("tasks", PHONE);
    const row = page.getByRole("treegrid").getByRole("row").nth(1);
    expect((await boxOf(row)).bottom).toBeLessThan(PHONE.height / 2);
    expect(await page.getByText("drop it here").isVisible()).toBe(false);
    await page.context().close();
  });

  it("shows the controls of the list of tasks in one line on a screen", async () => {
    const page = await open("tasks", SCREEN);
    const controls = await page
      .getByRole("main", { name: "All tasks" })
      .locator("> header :is(button:not(.sb-quiet), .sb-file-button, input:not([type=file]))")
      .all();
    const tops = await Promise.all(controls.map(async (control) => Math.round((await boxOf(control)).top)));
    expect(tops.length).toBeGreaterThan(4);
    expect(new Set(tops).size).toBe(1);
    await page.context().close();
  });

  it.each([PHONE, SCREEN])(
    "shows the label of the current event beside the bar of the task in a sequence at $width px",
    async (shot) => {
      const page = await open("task, sequence", shot);
      const label = page.locator(".sequence-current text");
      const inner = await boxOf(page.locator(".sequence-scroll"));
      const gutter = await boxOf(page.locator(".sequence-gutter").first());
      await expect.poll(async () => (await boxOf(label)).right).toBeLessThanOrEqual(inner.right);
      expect((await boxOf(label)).left).toBeGreaterThanOrEqual(gutter.right);
      await page.context().close();
    },
  );

  it("shows runs of a suite in the first window of a phone", async () => {
    const page = await open("suite", PHONE);
    const run = page.getByRole("table", { name: "Runs" }).getByRole("row").nth(1);
    expect((await boxOf(run)).bottom).toBeLessThan(PHONE.height);
    await page.context().close();
  });

  it("marks the status of the task as the present one at a past event", async () => {
    const page = await open("task, state", SCREEN);
    expect(await page.getByRole("banner").getByText("now completed").isVisible()).toBe(true);
    await page.keyboard.press("End");
    await page.getByRole("banner").getByText("completed", { exact: true }).waitFor();
    await page.context().close();
  });

  it("shows an empty list of a record without a control that unfolds it", async () => {
    const page = await open("task, raw", SCREEN);
    const log = page.locator(".text-json-leaf", { hasText: "log" });
    expect(await log.first().textContent()).toBe("log: []");
    await page.context().close();
  });

  it("shows the message about a file that is no trace in a column in the middle", async () => {
    const page = await open("damaged file", SCREEN);
    const { left, right } = await boxOf(page.getByRole("alert"));
    expect(right - left).toBeLessThan(720);
    expect(Math.abs(left - (SCREEN.width - right))).toBeLessThan(2);
    await page.context().close();
  });

  it("shows no cost of an unknown task", async () => {
    const page = await open("unknown task", SCREEN);
    expect(await page.getByRole("banner").textContent()).not.toContain("tokens");
    await page.context().close();
  });
});
