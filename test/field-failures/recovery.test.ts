import { once } from "node:events";
import { expect, test } from "vitest";
import { z } from "zod";
import { interrupted } from "../../machines/conversation/notices.ts";
import { askAPerson, defineTool } from "../../tools/index.ts";
import { deferred } from "../support/model.ts";
import { Crash, completes, NOTE, Notes, openSubtaskRig } from "../support/subtasks.ts";
import { resultsById } from "./results.ts";

const DONE = completes("All done.");

test("field failure 7: the result of an approved call is kept where the run then fails and the process ends (L11, L12)", async () => {
  const before = new Notes();
  const script = `rules: [{ when: { user: go on }, turns: [${DONE}] }, { turns: [${NOTE}, { status: 400 }] }]`;
  await using rig = await openSubtaskRig(script, { policy: askAPerson(), tools: [before.tool] });
  const end = rig.task.run("Note it");
  (await rig.ask("tool")).approve();
  expect(await end).toMatchObject({ state: "idle", ask: "failure" });
  await rig.task.flushed();

  const after = new Notes();
  await using copy = await new Crash(rig).open({ permissions: { judge: askAPerson() }, tools: [after.tool] });
  expect((await copy.task.run("go on")).result).toBe("All done.");
  expect(resultsById(rig.sent().at(-1) ?? [])).toEqual([["toolu_1", "noted"]]);
  expect([before.count, after.count]).toEqual([1, 0]);
});

test("field failure 23: each of several parallel calls has its result after a crash: the recorded one, or that it was interrupted (L6, L12)", async () => {
  const running = new Set<string>();
  const allRun = deferred();
  const look = defineTool({
    name: "look",
    description: "Looks; only the first look ends.",
    inputSchema: z.object({ at: z.string() }),
    effect: "reads",
    execute: async ({ at }, { signal }) => {
      running.add(at);
      if (running.size === 3) allRun.resolve();
      await allRun.promise;
      if (at !== "first") await once(signal, "abort");
      return "seen";
    },
  });
  const call = (at: string) => `{ tool: look, input: { at: ${at} } }`;
  await using rig = await openSubtaskRig(
    `[[${call("first")}, ${call("second")}, ${call("third")}], ${DONE}]`,
    { tools: [look] },
  );
  const ended = rig.until(({ commit }) => commit.cause?.type === "tool.finished");
  void rig.task.run("Look");
  await ended;
  await using copy = await new Crash(rig).open({ tools: [look] });
  expect((await copy.task.run("go on")).result).toBe("All done.");
  expect(resultsById(rig.sent().at(-1) ?? [])).toEqual([
    ["toolu_1", "seen"],
    ["toolu_2", interrupted()],
    ["toolu_3", interrupted()],
  ]);
});
