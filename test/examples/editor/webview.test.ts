import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, launch } from "../../page/browser.ts";
import { builtExtension } from "./built-extension.ts";
import { EditorRig } from "./editor-rig.ts";
import type { ExtensionProcess } from "./extension-process.ts";

/** Functions of the page. */
declare const dispatchEvent: (event: MessageEvent) => boolean;
declare const post: (message: unknown) => Promise<void>;

describe.skipIf(chromiumPath === undefined)("in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test("the view shows an ask of the extension, and its approval is what the task goes on with", async () => {
    const write = `{ tool: write_to_file, input: { path: new.txt, content: "new\\n" } }`;
    await using rig = await EditorRig.open(`[${write}, { text: All written. }]`);
    const page = await browser.newPage();
    const window = rig.openWindow((message) =>
      page.evaluate((data) => dispatchEvent(new MessageEvent("message", { data })), message),
    );
    const problems = await loadView(page, window);
    await page.getByRole("textbox", { name: "Message" }).fill("Write it");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Question" }).getByText("new.txt").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("All written.").first().waitFor();
    expect(rig.read("new.txt")).toBe("new\n");
    await page.getByRole("status").filter({ hasText: "The task is at rest." }).waitFor();
    expect(await page.locator("li", { hasText: "Write it" }).count()).toBe(1);
    expect(problems).toEqual([]);
    await page.close();
  });
});

/** Shows the page of the extension's view under its own policy. Returns the errors of the page, as they occur. */
async function loadView(page: Page, window: ExtensionProcess): Promise<readonly string[]> {
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (line) => line.type() === "error" && problems.push(line.text()));
  await page.exposeFunction("post", (message: unknown) => window.send({ type: "webview", message }));
  await page.addInitScript(() =>
    Object.assign(globalThis, { acquireVsCodeApi: () => ({ postMessage: post }) }),
  );
  const html = await window.page();
  const folder = await builtExtension();
  await page.route("https://webview.test/**", (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === "/") return route.fulfill({ contentType: "text/html", body: html });
    return route.fulfill({ path: path.join(folder, pathname) });
  });
  await page.goto("https://webview.test/");
  return problems;
}
