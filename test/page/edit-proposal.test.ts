import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { byRules } from "../../tools/index.ts";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "one\\ntwo\\n" } }`;
const TODOS = `{ tool: update_todo_list, input: { todos: "[ ] one" } }`;
const READ = "{ tool: read_file, input: { files: [{ path: b.txt }, { path: c.txt }] } }";
const COMMAND = "{ tool: execute_command, input: { command: npm test } }";
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";
const ASK_EACH = byRules({
  sources: [{ origin: "settings.yaml", ask: ["tool(update_todo_list)", "tool(read_file)"] }],
});

describe.skipIf(!canOpenPage)("the proposal of an open ask on the page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  async function openTask(turn: string) {
    const served = await Served.open({
      script: `[${turn}, ${DONE}]`,
      page: BUILT_PAGE,
      files: { "b.txt": "content of b\n", "c.txt": "content of c\n" },
      task: { permissions: { judge: ASK_EACH } },
    });
    const { id, workspace = "" } = await served.create("Do it");
    const page: Page = await browser.newPage();
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    return { served, page, file: (name: string) => readFile(path.join(workspace, name), "utf8") };
  }

  const edit = (page: Page) => page.getByRole("button", { name: "Edit …" });
  const form = (page: Page) => page.getByRole("form", { name: "Edit the proposal" });

  it("is the new content of a file, which is written as a person edited it", async () => {
    const { served, page, file } = await openTask(WRITE);
    await using _ = served;
    await edit(page).click();
    const content = form(page).getByRole("textbox", { name: "New content of a.txt" });
    expect(await content.inputValue()).toBe("one\ntwo\n");
    await content.fill("one\nTWO\n");
    await form(page).getByRole("button", { name: "Save as edited" }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    expect(await file("a.txt")).toBe("one\nTWO\n");
    await page.close();
  });

  it("keeps the edit while a person looks at the proposal again, which a plain yes saves as it was", async () => {
    const { served, page, file } = await openTask(WRITE);
    await using _ = served;
    await edit(page).click();
    await form(page).getByRole("textbox").fill("edited\u200b\n");
    await form(page).getByText("The text has invisible characters.").waitFor();
    await form(page).getByRole("button", { name: "Back" }).click();
    await edit(page).click();
    expect(await form(page).getByRole("textbox").inputValue()).toBe("edited\u200b\n");
    await form(page).getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    expect(await file("a.txt")).toBe("one\ntwo\n");
    await page.close();
  });

  it("is a todo list, which the model gets as a person edited it", async () => {
    const { served, page } = await openTask(TODOS);
    await using _ = served;
    await edit(page).click();
    await form(page).getByRole("textbox", { name: "The todo list" }).fill("[x] one\n[ ] two\n");
    await form(page).getByRole("button", { name: "Update as edited" }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    expect(JSON.stringify(served.mock?.requests.at(-1)?.body)).toContain("User edits todo:");
    await page.close();
  });

  it("is the list of files that are read, and one that a person removes is not read", async () => {
    const { served, page } = await openTask(READ);
    await using _ = served;
    await edit(page).click();
    await form(page).getByRole("checkbox", { name: "b.txt" }).uncheck();
    await form(page).getByRole("button", { name: "Read as edited" }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    const sent = JSON.stringify(served.mock?.requests.at(-1)?.body);
    expect(sent).toContain("content of c");
    expect(sent).not.toContain("content of b");
    await page.close();
  });

  it("is absent where the call takes no amendment, such as a command", async () => {
    const { served, page } = await openTask(COMMAND);
    await using _ = served;
    await page.getByRole("button", { name: "Run", exact: true }).waitFor();
    expect(await edit(page).count()).toBe(0);
    await page.close();
  });
});
