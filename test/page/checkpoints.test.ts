import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allowEverything } from "../../tools/index.ts";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";

describe.skipIf(!canOpenPage)("the checkpoints of a task on the page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("are compared, restored, and the restore is undone", async () => {
    await using served = await Served.open({
      script: `[${WRITE}, ${DONE}]`,
      page: BUILT_PAGE,
      files: { "a.txt": "one\n" },
      task: { checkpoints: true, permissions: { judge: allowEverything() } },
    });
    const { id } = await served.create("Change it");
    const page = await browser.newPage({ viewport: { width: 390, height: 740 } });
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByText("Completed. Accept the result?").waitFor();
    await page.getByRole("tab", { name: "State" }).click();
    const file = () => readFile(path.join(served.workspace, "a.txt"), "utf8");
    const panel = page.getByRole("region", { name: "Checkpoints" });
    const change = panel.getByRole("region", { name: /^Restore of/ });
    await panel.getByRole("button", { name: /^Compare/ }).click();
    await change.getByText("A restore changes 1 file:").waitFor();
    expect(await change.getByRole("cell", { name: "one", exact: true }).count()).toBe(1);
    expect(await file()).toBe("two\n");
    await change.getByRole("button", { name: "Restore" }).click();
    await panel.getByText("The files are restored.").waitFor();
    expect(await file()).toBe("one\n");
    await panel.getByRole("button", { name: "Undo …" }).click();
    await change.getByRole("button", { name: "Restore" }).click();
    await change.waitFor({ state: "detached" });
    expect(await file()).toBe("two\n");
    await page.close();
  });
});
