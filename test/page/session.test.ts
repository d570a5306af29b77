import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const script = `
turns:
  - { tool: attempt_completion, input: { result: All done. } }
`;

describe.skipIf(!canOpenPage)("the session of a page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("begins again when the address that a restarted server printed is entered into an open page", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const page = await browser.newPage();
    await page.goto(served.server.pageUrl);
    await page.getByText("There is no task yet.").waitFor();
    // The cookie of the server before the restart.
    await page.context().clearCookies();
    await page.evaluate("window.isOld = true");
    await page.evaluate(`location.href = ${JSON.stringify(served.server.pageUrl)}`);
    await page.waitForFunction("window.isOld === undefined");
    await page.locator('[data-connection="connected"]').waitFor();
    expect(page.url()).not.toContain("token");
    await page.close();
  });
});
