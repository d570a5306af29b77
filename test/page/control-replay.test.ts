import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../server/support.ts";
import { violationsIn } from "./axe.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const script = `
turns:
  - [{ tool: execute_command, input: { command: echo one } }, { tool: execute_command, input: { command: echo two } }]
  - { tool: attempt_completion, input: { result: All done. } }
`;

describe.skipIf(!canOpenPage)("the section With another protocol in the pane Why", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("lists the verdicts of a shipped protocol that differ, each as a link to its event", async () => {
    const task = { permissions: { level: "bypass" } } as const;
    await using served = await Served.open({ script, page: BUILT_PAGE, task });
    const { id } = await served.create("Echo");
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(`${served.server.pageUrl}&task=${id}&pane=why`);
    await page.getByText("With another protocol").click();
    const section = page.locator(".why-protocol");
    await section.getByRole("combobox", { name: "Protocol" }).selectOption("shut down at the budget");
    await section.getByRole("spinbutton", { name: "Audits" }).fill("1");
    await section.getByRole("button", { name: "Judge this task again" }).click();
    const changes = section.getByRole("list", { name: "Verdicts that differ" });
    await changes.getByRole("listitem").nth(1).waitFor();
    const texts = await changes.getByRole("listitem").allTextContents();
    expect(texts[0]).toMatch(/^call execute_command no protocol → audit/);
    expect(texts[1]).toMatch(/^call execute_command no protocol → shutDown/);
    expect(await violationsIn(page, ".why-protocol")).toEqual([]);

    const trace = await served.trace(id);
    const second = trace.filter(
      ({ record }) => record.kind === "commit" && record.decisions.some(({ callId }) => callId !== undefined),
    )[1];
    await changes.getByRole("button").nth(1).click();
    await expect.poll(() => new URL(page.url()).hash).toContain(`at=${second?.seq}`);

    await section.getByRole("spinbutton", { name: "Score" }).fill("0.1");
    await section.getByRole("button", { name: "Judge this task again" }).click();
    await section.getByText(/^0 of \d+ verdicts would differ\./).waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });
});
