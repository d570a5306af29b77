import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LogEvent } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { RecordedCall } from "../../machines/tool-call/call.ts";
import { formatLocation } from "../../visualize/page/model/location.ts";
import { PANES } from "../../visualize/page/model/panes.ts";
import type { CommitRecord } from "../../wire/journal/record.ts";
import { Served } from "../server/support.ts";
import { GOVERNED, GOVERNED_FILES, GOVERNED_SCRIPT } from "../support/governed.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const messagesIn = (log: readonly LogEvent[]): readonly ClineMessage[] =>
  log.flatMap((change) => (change.type === "message.appended" ? [change.message] : []));

const hasWritten = (call: RecordedCall): boolean =>
  call.phase === "settled" && call.outcome.writes !== undefined;

describe.skipIf(!canOpenPage)("a governed task, on the page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  /** A page at the end of the task. */
  async function openTask(width = 1440) {
    const served = await Served.open({
      script: GOVERNED_SCRIPT,
      page: BUILT_PAGE,
      files: GOVERNED_FILES,
      task: GOVERNED,
    });
    const { id } = await served.create("Do it");
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByText("Completed. Accept the result?").waitFor();
    const trace = await served.trace(id);
    /** Goes to the first event whose record fits, and returns it. */
    const goTo = async (fits: (record: CommitRecord) => boolean): Promise<number> => {
      const at = trace.findIndex(({ record }) => record.kind === "commit" && fits(record));
      // The shown pane stays.
      const shown = await page.getByRole("tab", { selected: true }).textContent();
      const pane = PANES.find((name) => shown?.toLowerCase().startsWith(name));
      const place = formatLocation({ task: id, at, pane });
      await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
      await expect.poll(() => page.getByTestId("place").textContent()).toBe(String(at));
      return at;
    };
    return { served, page, goTo, close: () => context.close() };
  }

  it.each([
    ["the hook", "It has a private key.", "the hook no-keys"],
    ["the rule with its origin", "is not permitted", "the rule edit(src/secret.txt) in settings.yaml:3"],
    ["the rule of intents", "select an intent first", "the rule .orchestration/active_intents.yaml"],
  ])("a denied call shows %s and the reason", async (_, reason, source) => {
    const { served, page, goTo, close } = await openTask();
    await using _served = served;
    await goTo(({ log }) => messagesIn(log).some(({ text }) => text?.includes(reason) === true));
    const denied = page.locator(".messages-item[data-marked]", { hasText: reason });
    expect(await denied.locator(".messages-title").textContent()).toBe("Denied");
    expect(await denied.locator(".messages-tool").textContent()).toBe("write_to_file");
    expect(await denied.locator(".messages-denial").textContent()).toBe(`denied by ${source}`);
    await close();
  });

  it("a denied call shows the clause, and a link to the event since which it does not hold", async () => {
    const { served, page, goTo, close } = await openTask();
    await using _ = served;
    const read = await goTo(({ calls }) =>
      calls.some(({ name, phase }) => name === "read_file" && phase === "settled"),
    );
    await goTo(({ log }) => messagesIn(log).some(({ denial = {} }) => "clause" in denial));
    const denial = page.locator(".messages-item[data-marked] .messages-denial");
    expect(await denial.textContent()).toBe(
      `denied by the clause no write after a secret of the policy sealed since event ${read}`,
    );
    await denial.getByRole("button", { name: `event ${read}` }).click();
    await expect.poll(() => page.getByTestId("place").textContent()).toBe(String(read));
    await page.getByRole("tab", { name: "State" }).click();
    const calls = page.locator(".sb-group", { hasText: "tool calls of this turn" });
    await calls.getByText("read_file done").waitFor();
    await close();
  });

  it("a call that wrote shows the intent, the files, and a link to the event that the ledger names", async () => {
    const { served, page, goTo, close } = await openTask();
    await using _ = served;
    const wrote = await goTo(({ calls }) => calls.some(hasWritten));
    const written = page.locator(".messages-written");
    expect(await written.textContent()).toBe(
      `wrote src/a.txt +2 −0 under the intent INT-1 in event ${wrote}`,
    );
    await goTo(({ cause }) => cause?.type === "task.start");
    expect(await written.count()).toBe(0);
    await close();
  });

  it.each([1440, 360])(
    "the state has the intent, from the event on that selected it, at %i px",
    async (width) => {
      const { served, page, goTo, close } = await openTask(width);
      await using _ = served;
      const tab = page.getByRole("tab", { name: "State" });
      if (await tab.isVisible()) await tab.click();
      const intent = page.locator(".sb-group", {
        has: page.getByRole("heading", { name: "intent", exact: true }),
      });
      await intent.getByText("INT-1").scrollIntoViewIfNeeded();
      const { x = -1, width: shown = 0 } = (await intent.boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + shown).toBeLessThanOrEqual(width);
      const selected = await goTo(({ facts }) => facts?.intent?.stage === "selected");
      await intent.getByText("INT-1").waitFor();
      await page.getByRole("slider", { name: "Event" }).focus();
      await page.keyboard.press("ArrowLeft");
      await expect.poll(() => page.getByTestId("place").textContent()).toBe(String(selected - 1));
      await intent.getByText("none is selected yet").waitFor();
      await close();
    },
  );
});
