import { readFileSync } from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TRANSCRIPTS } from "../visualize/trace/transcripts/fixtures.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { type Site, serve } from "./site.ts";

describe.skipIf(!canOpenPage)("a session of another agent, on the page", () => {
  let site: Site;
  let browser: Browser;
  beforeAll(async () => {
    site = await serve(BUILT_PAGE, { "none.json": "[]" });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  /** A page without tasks, in which a person opens files. */
  async function opened(...names: readonly string[]): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${site.url}index.html#file=none.json`);
    await page.getByLabel("Open a file").setInputFiles(names.map((name) => path.join(TRANSCRIPTS, name)));
    await page.getByText("Read only").waitFor();
    return page;
  }

  it.each([
    ["claude-code.jsonl", "Claude Code session (2.1.230)", "git push --force origin main"],
    ["codex.jsonl", "Codex session (0.149.0)", "npm publish --access public"],
  ])("%s is opened from a file, and its denied call is found", async (name, notice, denied) => {
    const page = await opened(name);
    await page.getByText(`Read only · ${notice}: states are derived, not recorded`).waitFor();
    await page.getByRole("tab", { name: /Problems/ }).click();
    const row = page.locator(".problems-item", { hasText: denied });
    expect(await row.locator(".problems-kind").textContent()).toBe("rejected");
    await row.locator(".problems-row").click();
    await page.getByText("answered: no").first().waitFor();
    await page.close();
  });

  it("has the output of a call at its message, and inferred arrows between its states", async () => {
    const page = await opened("claude-code.jsonl");
    const results = page.locator(".messages-item summary", { hasText: /^result: / });
    await results.first().click();
    await page.locator(".messages-item .text-output").first().waitFor();
    await page.keyboard.press("1");
    await expect.poll(() => page.locator(".sb-chart .sb-wire").count()).toBeGreaterThan(2);
    await page.close();
  });

  it("claims no machine, and offers no action", async () => {
    const page = await opened("claude-code.jsonl");
    await page.getByRole("tab", { name: "State" }).click();
    await page.getByRole("tabpanel", { name: "State" }).waitFor();
    expect(await page.getByText("from the messages").count()).toBe(1);
    expect(await page.getByText("from the machine").count()).toBe(0);
    expect(await page.getByRole("button", { name: /Fork|Recover|Open task|Breakpoints/ }).count()).toBe(0);
    await page.close();
  });

  it("is unzipped and decompressed in the browser, and each sample is a task", async () => {
    const page = await opened("inspect.eval");
    await page.getByText("Read only · Inspect session (0.3.150)").waitFor();
    expect(await page.getByRole("button", { name: /^Tasks/ }).textContent()).toContain("2");
    await page.close();
  });

  it("is dropped on the page", async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${site.url}index.html#file=none.json`);
    await page.getByLabel("Open a file").waitFor({ state: "attached" });
    const text = readFileSync(path.join(TRANSCRIPTS, "codex.jsonl"), "utf8");
    const dropped = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(text)}], "rollout.jsonl"));
      return data;
    })()`);
    await page.locator(".sb-drop").dispatchEvent("drop", { dataTransfer: dropped });
    await page.getByText("Read only · Codex session").waitFor();
    await page.close();
  });

  it("is a step in the history: Back shows the page as before, and Forward the file again", async () => {
    const page = await opened("claude-code.jsonl");
    await page.goBack();
    await page.getByText("There is no task yet.").waitFor();
    await page.goForward();
    await page.getByText("Read only").waitFor();
    await page.close();
  });

  it("is closed again, and a file of another kind is refused in words", async () => {
    const page = await opened("claude-code.jsonl");
    await page.getByRole("button", { name: /^Tasks/ }).click();
    await page.getByRole("button", { name: "Close the file" }).click();
    await page.getByText("There is no task yet.").waitFor();
    await page
      .getByLabel("Open a file")
      .setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
    await page.getByText("expected a session of a known agent").waitFor();
    await page.close();
  });
});
