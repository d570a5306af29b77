import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const QUESTION =
  "{ tool: ask_followup_question, input: { question: Which one?, follow_up: [{ text: left }] } }";
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";
/** One pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const FILE = { name: "shot.png", mimeType: "image/png", buffer: Buffer.from(PNG, "base64") };

describe.skipIf(!canOpenPage)("images that a person attaches", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  async function openTask() {
    const served = await Served.open({ script: `[${QUESTION}, ${DONE}]`, page: BUILT_PAGE });
    const { id } = await served.create("Ask");
    const page: Page = await browser.newPage({ viewport: { width: 390, height: 740 } });
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "left" }).waitFor();
    const sent = () => JSON.stringify(served.mock?.requests.at(-1)?.body);
    return { served, page, sent };
  }

  /** Gives the message field a file, as a paste or a drop does. */
  const give = (page: Page, kind: "paste" | "drop", type: string): Promise<void> =>
    page.evaluate(`{
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob("${PNG}"), (char) => char.charCodeAt(0));
      data.items.add(new File([bytes], "given", { type: "${type}" }));
      const field = document.querySelector('[aria-label="Message to the agent"]');
      field.dispatchEvent("${kind}" === "paste"
        ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
        : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }`);

  it("from files, a paste and a drop are shown, can be removed, and go to the model with the answer", async () => {
    const { served, page, sent } = await openTask();
    await using _ = served;
    await page.locator("form input[type=file]").setInputFiles([FILE, { ...FILE, name: "other.png" }]);
    const attached = page.getByRole("list", { name: "Attached images" });
    await attached.getByRole("img", { name: "other.png" }).waitFor();
    await give(page, "paste", "image/png");
    await give(page, "drop", "image/png");
    await expect.poll(() => attached.getByRole("img").count()).toBe(4);
    const width = "document.querySelector('.sb-attached img').naturalWidth";
    expect(await page.evaluate(width)).toBe(1);
    await attached.getByRole("button", { name: "Remove other.png" }).click();
    await page.getByRole("textbox", { name: "Message to the agent" }).fill("As in this picture");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    expect(sent().split(PNG)).toHaveLength(4);
    expect(await attached.count()).toBe(0);
    await page.close();
  });

  it("of another type are refused with the reason", async () => {
    const { served, page } = await openTask();
    await using _ = served;
    await give(page, "paste", "image/svg+xml");
    await page.getByText("given is not attached: expected a PNG, JPEG, GIF or WebP image.").waitFor();
    expect(await page.getByRole("list", { name: "Attached images" }).count()).toBe(0);
    await page.close();
  });

  it("go with the prompt of a new task", async () => {
    const { served, page, sent } = await openTask();
    await using _ = served;
    await page.getByRole("button", { name: /^Tasks/ }).click();
    await page.locator("main input[type=file][accept*=png]").setInputFiles(FILE);
    await page.getByRole("img", { name: "shot.png" }).waitFor();
    await page.getByRole("textbox", { name: "A new task" }).fill("Look at this");
    await page.getByRole("button", { name: "Create task" }).click();
    await page.getByRole("form", { name: "Actions" }).waitFor();
    await expect.poll(sent).toContain(PNG);
    await page.close();
  });
});
