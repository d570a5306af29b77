import { expect, test } from "vitest";
import { DONE, openRig } from "../support/host.ts";

const WRITE = "{ tool: write_to_file, input: { path: a.txt, content: words } }";

test.each([
  ["a program", { by: "program" } as const, { person: true, program: true }],
  ["a person", {}, { person: true }],
])("the journal tells an approval by %s apart", async (_, approval, by) => {
  await using rig = await openRig({ script: `[${WRITE}, ${DONE}]` });
  rig.task.asks$.subscribe((ask) => ask.kind === "tool" && ask.approve(approval));
  expect((await rig.task.run("Write")).result).toBe("Done.");
  const decisions = rig.shown.flatMap(({ commit }) => commit.decisions);
  expect(decisions.map((decision) => decision.by)).toEqual([by]);
  await rig.task.close();
  const task = await rig.host.open(rig.task.id, { model: rig.model });
  expect(task.state).toMatchObject({ state: "idle" });
});
