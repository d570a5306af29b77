import { beforeAll, describe, expect, test } from "vitest";
import { type Driven, INTERFACES } from "./interfaces.ts";
import { Scenario, SUBTASKS, type Work } from "./scenario.ts";

const WORKS = Object.keys(SUBTASKS) as Work[];

type Recorded = Awaited<ReturnType<typeof recorded>>;

/** What is recorded of a root and its subtask, from this cause on, once `act` was done by an interface. */
async function recorded(name: string, work: Work, cause: string, act: (driven: Driven) => Promise<void>) {
  await using scenario = await Scenario.open(work);
  const driven = await INTERFACES[name]?.(scenario);
  if (driven === undefined) throw new Error(`There is no interface ${name}.`);
  try {
    await act(driven);
  } finally {
    await driven.close();
  }
  // The folders are removed after it.
  return await scenario.recorded(cause);
}

/** ACP has no text of a subtask: a client can't know that one streams. */
const showing = (work: Work): readonly string[] =>
  Object.keys(INTERFACES).filter((name) => name !== "ACP" || work !== "streams");

const BY_ID = ["Task", "ExtensionClient", "useTask, localSource", "useTask, serverSource", "HTTP"];

describe.each(WORKS)("while a subtask %s", (work) => {
  const cancel = (name: string) => recorded(name, work, "task.cancel", (driven) => driven.cancel());
  const cancelSubtask = (name: string) =>
    recorded(name, work, "task.cancel", async ({ cancelSubtask }) => {
      if (cancelSubtask === undefined) throw new Error(`${name} does not cancel a subtask alone`);
      await cancelSubtask();
    });
  const resume = (name: string) =>
    recorded(name, work, "task.cancel", async (driven) => {
      await driven.cancel();
      await driven.resume("Go on");
    });

  describe("a cancel settles the whole tree, with the same record by each interface (LIFE-GAP-022, L10, L16)", () => {
    let expected: Recorded;
    beforeAll(async () => {
      expected = await cancel("Task");
    });
    test("which asks to resume both tasks", () => {
      expect(expected.root.at(-1)).toContain("resume_task");
      expect(expected.subtask.at(-1)).toContain("resume_task");
    });
    test.each(showing(work))("%s", async (name) => expect(await cancel(name)).toEqual(expected));
  });

  describe("the subtask alone is cancelled by its id, and its parent goes on (LIFE-GAP-022, L16)", () => {
    let expected: Recorded;
    beforeAll(async () => {
      expected = await cancelSubtask("Task");
    });
    test("which cancels no parent", () => {
      expect(expected.root).toEqual([]);
      expect(expected.subtask.at(-1)).toContain("resume_task");
    });
    test.each(BY_ID)("%s", async (name) => expect(await cancelSubtask(name)).toEqual(expected));
  });

  describe("a cancelled task resumes with the same record by each interface (LIFE-GAP-033)", () => {
    let expected: Recorded;
    beforeAll(async () => {
      expected = await resume("Task");
    });
    test("which has the text, and ends with a result", () => {
      expect(expected.root.join("\n")).toContain("Go on");
      expect(expected.root.at(-1)).toContain("completion_result");
    });
    test.each(showing(work))("%s", async (name) => expect(await resume(name)).toEqual(expected));
  });
});
