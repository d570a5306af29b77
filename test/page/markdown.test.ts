import type { Browser, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const script = `
turns:
  - text: "&copy; &hellip; &semi; &unknown; &amplifier; &lt;b&gt;bold&lt;/b&gt;"
`;

describe.skipIf(!canOpenPage)("markdown on the built page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("has the characters of named references, and unknown names as they are", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const { id } = await served.create("Say it");
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    const text = page.locator(".messages-item", { hasText: "bold" }).first();
    await text.getByText("© … ; &unknown; &amplifier; <b>bold</b>").waitFor();
    expect(await text.locator("b", { hasText: /^bold$/ }).count()).toBe(0);
    await page.close();
  });

  it("is plain text until the parser is loaded", async () => {
    await using served = await Served.open({ script: `[{ text: "a **bold** word" }]`, page: BUILT_PAGE });
    const { id } = await served.create("Say it");
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const asked = new Promise<Route>((resolve) => page.route("**/embed-markdown.js", resolve));
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    const text = page.locator(".messages-item .text-markdown", { hasText: "bold" }).first();
    await text.getByText("a **bold** word").waitFor();
    await (await asked).continue();
    await text.locator("strong", { hasText: /^bold$/ }).waitFor();
    expect(await text.textContent()).toBe("a bold word");
    await page.close();
  });

  it("is plain text if the parser can't be loaded, and the page says so and goes on", async () => {
    await using served = await Served.open({ script: `[{ text: "a **bold** word" }]`, page: BUILT_PAGE });
    const { id } = await served.create("Say it");
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.route("**/embed-markdown.js", (route) => route.abort());
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    const alert = page.getByRole("alert").filter({ hasText: "A part of this page could not be loaded: " });
    await alert.getByText("Check the connection, and reload the page.").waitFor();
    await alert.getByRole("button").click();
    const text = page.locator(".messages-item .text-markdown", { hasText: "bold" }).first();
    expect(await text.textContent()).toBe("a **bold** word");
    expect(errors).toEqual([]);
    await page.unroute("**/embed-markdown.js");
    await page.reload();
    await text.locator("strong", { hasText: /^bold$/ }).waitFor();
    await page.close();
  });
});
