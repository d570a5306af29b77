import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { taskListSchema } from "../../wire/http/api.ts";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const script = `
turns:
  - { tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }
  - { tool: attempt_completion, input: { result: All done. } }
`;

describe.skipIf(!canOpenPage)("the pane Why", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("says what another answer would do, does not do it, and forks", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const { id } = await served.create("Write a.txt");
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Save" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("7");
    const supposed = page.getByRole("region", { name: "Suppose" });
    await supposed.getByRole("button", { name: "Answer no" }).click();
    await supposed.getByText("streaming.preparing").first().waitFor();
    await supposed.getByRole("row", { name: /taken isNoOrText/ }).waitFor();
    await supposed.getByText("The laws of messages would hold.").waitFor();
    await page.getByText("It asked a person: no rule allows write_to_file").waitFor();
    expect((await served.info(id)).path).toBe("waiting_for_input.approval");
    await page.getByRole("button", { name: "Cancel", exact: true }).waitFor();
    await supposed.getByRole("button", { name: "Change the permissions (plan)" }).click();
    await page.getByRole("button", { name: "Fork here" }).click();
    await page.getByRole("button", { name: "Open task" }).waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  it("forks and gives the supposed answer to the fork, while the task waits on", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const { id } = await served.create("Write a.txt");
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Save" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("7");
    const supposed = page.getByRole("region", { name: "Suppose" });
    await supposed.getByRole("button", { name: "Answer yes" }).click();
    await supposed.getByRole("button", { name: "Fork and do it" }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    const { tasks } = taskListSchema.parse(await (await served.fetch("/api/tasks")).json());
    const fork = tasks.find((task) => task.id !== id);
    expect(fork?.state).toBe("idle");
    await expect.poll(() => page.url()).toContain(fork?.id ?? expect.fail("no fork"));
    expect((await served.info(id)).path).toBe("waiting_for_input.approval");
    await page.close();
  });

  it("explains an answer by the guards that decided it, and their values", async () => {
    await using served = await Served.open({ script, page: BUILT_PAGE });
    const { id } = await served.create("Write a.txt");
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    const trace = await served.trace(id);
    const answered = trace.find(
      ({ record }) => record.kind === "commit" && record.cause?.type === "ask.answered",
    );
    await page.goto(`${served.server.pageUrl}&task=${id}&at=${answered?.seq}`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("7");
    const taken = page.getByRole("row", { name: /taken isPlainYes.*running\.settling/ });
    await taken.getByText("event.answer.kind").waitFor();
    await page.close();
  });
});
