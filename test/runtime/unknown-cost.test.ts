import { describe, expect, test } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import { requestInfo } from "../../machines/message/request.ts";
import { addUsage } from "../../machines/task/request.ts";
import { openTaskInfo } from "../../server/tasks/task-info.ts";
import { allowEverything } from "../../tools/index.ts";
import { taskInfoSchema } from "../../wire/http/api.ts";
import { DONE, openRig } from "../support/host.ts";
import { completes, openSubtaskRig, scriptByMode, subtask } from "../support/subtasks.ts";

const HOUSE = { model: "house-model" };
const LIST = "{ tool: list_files, input: { path: ., recursive: false } }";
const PRICES = { house: { input: 2, output: 8, cacheWrite: 2.5, cacheRead: 0.2 } };

describe("the cost of a model without a price is unknown, never 0", () => {
  test("in the message of its request, the end of the task and its total usage", async () => {
    await using rig = await openRig({ script: `[${LIST}, ${DONE}]`, anthropic: HOUSE });
    const end = await rig.task.run("Do it");
    expect(end).toMatchObject({ result: "Done.", cost: null, usage: { cost: null } });
    expect(end.usage.tokensIn).toBeGreaterThan(0);
    const requests = rig.task.log.toArray().filter(({ say }) => say === "api_req_started");
    expect(requests.map((message) => requestInfo(message)?.cost)).toEqual([null, null]);
    expect(await rig.task.totalUsage()).toMatchObject({ cost: null });
  });

  test("in the server's description of the task", async () => {
    await using rig = await openRig({ script: `[${DONE}]`, anthropic: HOUSE });
    await rig.task.run("Do it");
    const info = openTaskInfo(rig.task, { title: "", createdAt: 0 }, 0);
    expect(taskInfoSchema.parse(info)).toMatchObject({ cost: null });
  });

  test("with a price of the user it is known", async () => {
    await using rig = await openRig({ script: `[${DONE}]`, anthropic: { ...HOUSE, prices: PRICES } });
    expect((await rig.task.run("Do it")).cost).toBeGreaterThan(0);
  });

  test("a sum with it is unknown, also after the task is opened again with another model", async () => {
    await using rig = await openRig({ script: `[{ text: One. }, { text: Two. }]`, anthropic: HOUSE });
    await rig.task.run("Count");
    await rig.task.close();
    const model = anthropic({ model: "claude-haiku-4-5", apiKey: "mock", baseURL: rig.mock?.url });
    const task = await rig.host.open(rig.task.id, { model });
    const before = task.snapshot.context.total;
    expect(before.cost).toBeNull();
    const end = await task.run("Go on");
    expect(end).toMatchObject({ result: "Two.", cost: null });
    expect(end.usage.tokensIn).toBeGreaterThan(before.tokensIn);
    expect(addUsage({ ...before, cost: 1 }, before).cost).toBeNull();
  });

  test("the total usage with a subtask of unknown cost is unknown", async () => {
    const script = scriptByMode(
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: subtask("one") },
      { mode: "one", turn: completes("One done.") },
    );
    await using rig = await openSubtaskRig(script, { anthropic: HOUSE });
    await rig.task.run("Do it");
    expect(await rig.task.totalUsage()).toMatchObject({ cost: null });
  });
});

describe("an unknown cost reaches a limit of cost: it may exceed any (L14)", () => {
  test("the ask says why, and each yes allows one more request", async () => {
    await using rig = await openRig({
      script: `[${LIST}, ${LIST}, ${DONE}]`,
      anthropic: HOUSE,
      limits: { cost: 1_000 },
      policy: allowEverything(),
    });
    const first = await rig.task.run("Do it");
    expect(first.ask).toBe("limit");
    const ask = await rig.ask("limit");
    expect(JSON.parse(ask.text)).toEqual({
      count: 1_000,
      type: "cost",
      reason: "The cost of a request is unknown: there is no price for its model.",
    });
    expect(rig.mock?.requests).toHaveLength(1);
    const rested = () => rig.until(({ commit }) => commit.reports.some(({ type }) => type === "task.rested"));
    const again = rested();
    ask.approve();
    expect((await again).commit.reports).toMatchObject([{ ask: "auto_approval_max_req_reached" }]);
    expect(rig.mock?.requests).toHaveLength(2);
    const last = rested();
    (await rig.ask("limit")).approve();
    expect((await last).commit.reports).toMatchObject([{ ask: "completion_result" }]);
  });

  test("a known cost below the limit asks nothing", async () => {
    await using rig = await openRig({
      script: `[${LIST}, ${DONE}]`,
      anthropic: { ...HOUSE, prices: PRICES },
      limits: { cost: 1_000 },
    });
    expect((await rig.task.run("Do it")).result).toBe("Done.");
  });
});
