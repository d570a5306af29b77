import { expect, it } from "vitest";
import { taskMachine } from "../../machines/task/index.ts";
import { ALL_LAWS, explore, traceOf } from "../../verify/index.ts";

it("a counterexample is a shortest way to a violation, told event by event in order", async () => {
  const machine = taskMachine.provide({ actions: { askAboutFailure: () => {} } });
  const bounds = { turns: 1, calls: 1, blocks: 1, queued: 0, interruptions: 0 };
  const [violation] = explore({ machine, laws: ALL_LAWS, bounds }).violations;
  expect(violation?.path.map(({ type }) => type)).toEqual(["task.start", "task.opened", "context.failed"]);
  const text = violation === undefined ? "" : traceOf(violation, machine);
  await expect(`${text}\n`).toMatchFileSnapshot("../traces/counterexample.txt");
});
