import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../server/support.ts";
import { violationsIn } from "./axe.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const SECRET = `sk-ant-api03-${"x7".repeat(12)}`;
const script = `[{ text: "The key **${SECRET}** works." }]`;

describe.skipIf(!canOpenPage)("the button Share", () => {
  let browser: Browser;
  let served: Served;
  let folder: string;
  let page: Page;

  beforeAll(async () => {
    browser = await launch();
    folder = await mkdtemp(path.join(tmpdir(), "shared-"));
    served = await Served.open({ script, page: BUILT_PAGE });
    const { id } = await served.create(`Use ${SECRET}`);
    page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    page.setDefaultTimeout(15_000);
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.locator(".messages-item strong", { hasText: SECRET }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** The file that the dialog offers, with its status. */
  async function download(
    choice: "Masked" | "Full",
  ): Promise<{ readonly file: string; readonly status: string }> {
    await page.getByRole("button", { name: "Share" }).click();
    const dialog = page.getByRole("dialog", { name: "Share the task" });
    expect(await dialog.getByRole("radio", { name: "Masked" }).isChecked()).toBe(true);
    if (choice === "Full") await dialog.getByRole("radio", { name: "Full" }).check();
    const status = dialog.getByRole("status");
    await status.filter({ hasText: choice === "Full" ? "Nothing is masked." : "masked. Other" }).waitFor();
    expect(await violationsIn(page, ".sb-share-dialog")).toEqual([]);
    const [downloaded] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("link", { name: "Download" }).click(),
    ]);
    const file = path.join(folder, `${choice}.html`);
    await downloaded.saveAs(file);
    const said = (await status.textContent()) ?? "";
    await dialog.getByRole("button", { name: "Close" }).click();
    return { file, status: said };
  }

  it("gives a masked file that opens without a network, and says how many places are masked", async () => {
    const { file, status } = await download("Masked");
    const text = await readFile(file, "utf8");
    expect(text).not.toContain(SECRET.slice(0, 20));
    const masked = text.match(/id="trace">[^<]*/)?.[0].split("[masked]") ?? [];
    expect(status).toMatch(new RegExp(`^${masked.length - 1} places masked`));

    const context = await browser.newContext({ offline: true });
    const asked: string[] = [];
    const opened = await context.newPage();
    opened.setDefaultTimeout(15_000);
    opened.on("request", (request) => asked.push(request.url()));
    await opened.goto(pathToFileURL(file).href);
    await opened.locator(".messages-item strong", { hasText: "[masked]" }).waitFor();
    expect(await opened.title()).toBe("Use [masked]");
    expect(asked.filter((url) => !url.startsWith("data:"))).toEqual([pathToFileURL(file).href]);
    expect(await opened.getByRole("button", { name: "Share" }).count()).toBe(0);
    await context.close();
  });

  it("gives the whole file if that is chosen", async () => {
    const { file } = await download("Full");
    const text = await readFile(file, "utf8");
    expect(text).toContain(SECRET);
    expect(text).not.toContain('[masked]"');
  });

  it("says why there is no file if a part of the page can't be loaded", async () => {
    await page.route("**/embed-markdown.js", (route) => route.fulfill({ status: 404 }));
    await page.getByRole("button", { name: "Share" }).click();
    const dialog = page.getByRole("dialog", { name: "Share the task" });
    await dialog.getByText(/^The file can't be made: Expected embed-markdown\.js .* got 404/).waitFor();
    expect(await dialog.getByRole("link", { name: "Download" }).count()).toBe(0);
    await dialog.getByRole("button", { name: "Close" }).click();
  });
});
