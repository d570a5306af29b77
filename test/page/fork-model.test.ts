import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";
import { modelsSchema, taskInfoSchema, taskListSchema } from "../../wire/http/api.ts";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const DONE = "{ tool: attempt_completion, input: { result: All done. } }";
const script = `[{ tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }, ${DONE}]`;

/** A server whose tasks can also have the model `other`, which completes at once. */
async function servedWithModels() {
  const mock = await startMock(parseScript(`[${DONE}]`));
  const other = anthropic({ model: "claude-opus-4-6", apiKey: "mock", baseURL: mock.url });
  const served = await Served.open({ script, models: { named: { other } }, page: BUILT_PAGE });
  return {
    served,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await mock.close();
    },
  };
}

it("a fork with a profile is open at rest with the profile's model, and an unknown profile creates no fork", async () => {
  await using opened = await servedWithModels();
  const { served } = opened;
  const { models } = modelsSchema.parse(await (await served.fetch("/api/models")).json());
  expect(models).toEqual([
    { profile: "default", model: "claude-sonnet-4-5" },
    { profile: "other", model: "claude-opus-4-6" },
  ]);
  const { id } = await served.create("Write a.txt");
  const response = await served.post(`/api/tasks/${id}/fork`, { at: 1, profile: "other" });
  expect(taskInfoSchema.parse(await response.json())).toMatchObject({ isOpen: true, profile: "other" });
  const refused = await served.post(`/api/tasks/${id}/fork`, { profile: "nobody" });
  expect([refused.status, await refused.json()]).toMatchObject([400, { code: "OPTION_INVALID" }]);
  const { tasks } = taskListSchema.parse(await (await served.fetch("/api/tasks")).json());
  expect(tasks).toHaveLength(2);
});

describe.skipIf(!canOpenPage)("a fork with another model on the page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("has the chosen model, and is compared with its original step by step, which need not be chosen", async () => {
    await using opened = await servedWithModels();
    const { served } = opened;
    const { id } = await served.create("Write a.txt");
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    await page.goto(`${served.server.pageUrl}&task=${id}&at=2`);
    await page.getByRole("combobox", { name: "Model of the fork" }).selectOption("other");
    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    const { tasks } = taskListSchema.parse(await (await served.fetch("/api/tasks")).json());
    const fork = tasks.find((task) => task.id !== id);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText("The other task: claude-sonnet-4-5").waitFor();
    await page.goto(`${served.server.pageUrl}&task=${id}&with=${fork?.id}`);
    const pane = page.getByRole("region", { name: "Compare" });
    await pane.getByText("This task: claude-sonnet-4-5 · idle · 2 requests · 1 call").waitFor();
    await pane.getByText("The other task: claude-opus-4-6 · idle · 2 requests · 0 calls").waitFor();
    await pane.getByRole("img", { name: "only in this task" }).first().waitFor();
    await pane.getByText("New file a.txt").waitFor();
    await page.close();
  });
});
