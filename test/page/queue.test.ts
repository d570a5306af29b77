import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { isReachable } from "./reachable.ts";

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "one\\n" } }`;
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";
/** One pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe.skipIf(!canOpenPage)("the queued messages on the page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  /** A task that waits for an answer, with two queued messages: the first has an image. */
  async function openQueued() {
    const served = await Served.open({ script: `[${WRITE}, { text: Noted. }, ${DONE}]`, page: BUILT_PAGE });
    const { id } = await served.create("Do it");
    const page: Page = await browser.newPage({
      viewport: { width: 390, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Save", exact: true }).waitFor();
    const queue = (text: string, images: readonly string[] = []) =>
      served.post(`/api/tasks/${id}/queue`, { text, images });
    await queue("Look at\nthis", [`data:image/png;base64,${PNG}`]);
    await queue("And that");
    await page.getByRole("button", { name: "2 queued messages" }).tap();
    const queued = () => served.host.tasks.get(id)?.snapshot.context.queue.map(({ text }) => text);
    const sent = () => JSON.stringify(served.mock?.requests.map(({ body }) => body));
    const ask = async () => (await served.info(id)).asks[0]?.askId;
    return { served, id, page, queued, sent, ask };
  }

  const list = (page: Page) => page.getByRole("list", { name: "Queued messages" });
  const editor = (page: Page) => page.getByRole("form", { name: "Edit the queued message" });
  const field = (page: Page) => editor(page).getByRole("textbox", { name: "Text of the queued message" });
  const edit = (page: Page) => list(page).getByRole("button", { name: "Edit queued message 1" });

  it("are listed in the action bar, folded while an ask is open, and each can be removed", async () => {
    const { served, page, queued } = await openQueued();
    await using _ = served;
    expect(await list(page).getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringContaining("Look at this with 1 image"),
      expect.stringContaining("And that"),
    ]);
    const remove = list(page).getByRole("button", { name: "Remove queued message 2" });
    expect((await remove.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await remove.tap();
    await page.getByRole("button", { name: "1 queued message" }).waitFor();
    expect(queued()).toEqual(["Look at\nthis"]);
    await page.close();
  });

  it("are sent as a person edited them, in their order, with their images", async () => {
    const { served, page, queued, sent } = await openQueued();
    await using _ = served;
    await edit(page).tap();
    expect(await field(page).inputValue()).toBe("Look at\nthis");
    expect(await field(page).evaluate((area) => area.matches(":focus"))).toBe(true);
    await editor(page).getByText("The queued message, with 1 image").waitFor();
    await field(page).fill("Look at\nthis picture");
    const save = editor(page).getByRole("button", { name: "Save" });
    expect(await isReachable(save)).toBe(true);
    await save.tap();
    await expect.poll(queued).toEqual(["Look at\nthis picture", "And that"]);
    await page.getByRole("button", { name: "Save", exact: true }).tap();
    await page.getByText("Completed. Accept the result?").waitFor();
    expect(sent()).toContain("this picture");
    expect(sent()).toContain(PNG);
    await page.close();
  });

  it("stay as they were when a person goes back from the edit", async () => {
    const { served, page, queued } = await openQueued();
    await using _ = served;
    await edit(page).tap();
    await field(page).fill("Changed");
    await editor(page).getByRole("button", { name: "Back" }).tap();
    await list(page).getByText("Look at this").waitFor();
    expect(queued()).toEqual(["Look at\nthis", "And that"]);
    await page.close();
  });

  it("lose no text when one is sent while it is edited: the page says so and sends the text as another message", async () => {
    const { served, id, page, sent, ask } = await openQueued();
    await using _ = served;
    await edit(page).tap();
    await field(page).fill("Look at\nthe other");
    await served.post(`/api/tasks/${id}/asks/${await ask()}/answer`, { kind: "yes" });
    await editor(page).getByText("The message has left the queue without this change.").waitFor();
    expect(await field(page).inputValue()).toBe("Look at\nthe other");
    expect(await field(page).evaluate((area) => area.matches(":focus"))).toBe(true);
    expect(sent()).not.toContain("the other");
    // The text would answer this ask.
    await editor(page).getByText("Completed. Accept the result?").waitFor();
    await editor(page).getByRole("button", { name: "Send as another message" }).tap();
    await editor(page).waitFor({ state: "detached" });
    await expect.poll(sent).toContain("the other");
    await page.close();
  });

  it("keep the edit when the server rejects it, as the message has just been sent", async () => {
    const { served, page, queued } = await openQueued();
    await using _ = served;
    await edit(page).tap();
    await field(page).fill("Too late");
    // The page has no event of it yet.
    await page.route(/\/queue\//, async (route) => {
      await route.fulfill({
        status: 404,
        contentType: "application/problem+json",
        body: JSON.stringify({ code: "QUEUED_UNKNOWN", detail: "It may have been sent already." }),
      });
    });
    await editor(page).getByRole("button", { name: "Save" }).tap();
    await page.getByRole("alert").getByText("It may have been sent already.").waitFor();
    expect(await field(page).inputValue()).toBe("Too late");
    expect(queued()).toEqual(["Look at\nthis", "And that"]);
    await page.close();
  });
});
