import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const PROMPT = "Find out why the tests of the payment service fail on each second Monday";
const script = `
rules:
  - when: { user: payment }
    turns: [{ tool: new_task, input: { mode: code, message: "Read the log of the last failure, line by line" } }]
  - turns: [{ status: 401, body: "${"The key is not known. ".repeat(10)}" }]
`;

describe.skipIf(!canOpenPage)("the header of a task", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("leads from each task above to a subtask that failed, and back, in one row beside long titles and reasons", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const { id } = await served.create(PROMPT);
    const page = await browser.newPage({ viewport: { width: 1_280, height: 720 } });
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByText("A subtask needs you:").waitFor();
    await page.getByRole("button", { name: "Tasks 2 1 needs you" }).waitFor();
    await page
      .locator(".sb-needs-you-notice")
      .getByRole("button", { name: /^1 Read the log/ })
      .click();
    await page.getByRole("button", { name: "Retry", exact: true }).waitFor();
    const head = page.locator(".sb-head");
    for (const width of [1_024, 1_280, 1_440]) {
      await page.setViewportSize({ width, height: 720 });
      expect((await head.boundingBox())?.height, `${width} px`).toBeLessThan(52);
    }
    await head.getByRole("button", { name: /^Find out why/ }).click();
    await page.getByText("A subtask needs you:").waitFor();
    // On a phone the notice moves no button.
    await page.setViewportSize({ width: 390, height: 844 });
    const topOf = async (part: string) => (await head.locator(part).boundingBox())?.y;
    expect(await topOf(".sb-needs-you-notice")).toBeGreaterThan(
      (await topOf("nav")) ?? Number.POSITIVE_INFINITY,
    );
    await page.close();
  });
});
