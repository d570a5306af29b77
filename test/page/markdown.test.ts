import type { Browser } from "playwright-core";
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
});
