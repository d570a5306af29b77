import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { isReachable } from "./reachable.ts";

const LINES = Array.from({ length: 60 }, (_, at) => `line ${at + 1} of the text that a person decides about`);
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";

const COMMAND = JSON.stringify({
  tool: "execute_command",
  input: { command: LINES.map((line) => `echo ${line}`).join("\n") },
});
const WRITE = JSON.stringify({
  tool: "write_to_file",
  input: { path: "src/a.txt", content: LINES.join("\n") },
});
const QUESTION = JSON.stringify({
  tool: "ask_followup_question",
  input: {
    question: LINES.join("\n\n"),
    follow_up: LINES.slice(0, 4).map((text) => ({ text: `Take ${text}` })),
  },
});

/** The height of the part of a region that is within the viewport, in pixels. */
const shownHeight = (region: Locator): Promise<number> =>
  region.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    const view = element.ownerDocument.defaultView;
    return Math.min(bottom, view.innerHeight) - Math.max(top, 0);
  });

describe.skipIf(!canOpenPage)("the open ask on a phone with its keyboard open", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function openPhone(served: Served, id: string): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 390, height: 500 },
      hasTouch: true,
      isMobile: true,
    });
    const page = await context.newPage();
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    return page;
  }

  it.each([
    ["a command", COMMAND, ["Run", "Reject", "Send", "Cancel"]],
    ["a change of a file", WRITE, ["Save", "Edit …", "Always …", "Reject", "Send", "Cancel"]],
    ["a question", QUESTION, ["Send", "Cancel"]],
  ])("shows %s whole, with its answers, while the text is entered", async (_, turn, names) => {
    await using served = await Served.open({ script: `[${turn}, ${DONE}]`, page: BUILT_PAGE });
    const { id } = await served.create("Do it");
    const page = await openPhone(served, id);
    const bar = page.getByRole("form", { name: "Actions" });
    const text = bar.getByRole("textbox", { name: "Message to the agent" });
    await text.click();
    await text.pressSequentially("a");
    expect(await isReachable(text)).toBe(true);
    for (const name of names) {
      const button = bar.getByRole("button", { name, exact: true });
      expect(await isReachable(button), name).toBe(true);
      expect((await button.boundingBox())?.height, name).toBeGreaterThanOrEqual(48);
    }
    expect(
      await text.evaluate((input) => input.ownerDocument.defaultView.getComputedStyle(input).fontSize),
    ).toBe("16px");
    const asked = bar.getByRole("region", { name: "Content of the ask" });
    expect(await shownHeight(asked)).toBeGreaterThanOrEqual(60);
    for (const line of [LINES[0], LINES.at(-1)]) {
      const shown = asked.getByText(line ?? "").last();
      await shown.scrollIntoViewIfNeeded();
      expect(await shown.isVisible()).toBe(true);
      expect(await isReachable(asked)).toBe(true);
    }
    expect(await page.evaluate("document.querySelector('.signalbox').scrollLeft")).toBe(0);
    await page.context().close();
  });

  it("scrolls the suggested answers to a long question beside it", async () => {
    await using served = await Served.open({ script: `[${QUESTION}, ${DONE}]`, page: BUILT_PAGE });
    const { id } = await served.create("Ask");
    const page = await openPhone(served, id);
    const choices = page.getByRole("group", { name: "Suggested answers" });
    for (const choice of await choices.getByRole("button").all()) {
      await choice.scrollIntoViewIfNeeded();
      expect(await isReachable(choice)).toBe(true);
      expect((await choice.boundingBox())?.height).toBeGreaterThanOrEqual(48);
    }
    await choices.getByRole("button").last().tap();
    await page.getByText("Completed. Accept the result?").waitFor();
    await page.context().close();
  });
});
