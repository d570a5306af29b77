import { expect, test } from "vitest";
import { observeLifecycle } from "../../../client/lifecycle/lifecycle.ts";
import type { TaskStreamEvent } from "../../../runtime/task/task-stream.ts";
import { inBackground, openBackgroundRig } from "../../support/background-script.ts";
import { completes } from "../../support/subtasks.ts";

const steps = [
  { mode: "code", after: "new_task", turn: completes("Too early.") },
  { mode: "code", turn: inBackground("one") },
  { mode: "one", turn: completes("Done in one.") },
];

test("a stream has the start of the call of a subtask in the background, with its id, and its end", async () => {
  await using rig = await openBackgroundRig(steps);
  const events: TaskStreamEvent[] = [];
  for await (const event of rig.task.stream("Do it")) events.push(event);
  const ofCall = events.flatMap((event) =>
    (event.type === "tool.started" || event.type === "tool.finished") && event.name === "new_task"
      ? [event]
      : [],
  );
  expect(ofCall).toMatchObject([
    { type: "tool.started", childId: `${rig.task.id}.1` },
    { type: "tool.finished", outcome: "done" },
  ]);
  expect(ofCall[1]).not.toHaveProperty("input");
});

test("the lifecycle has the end of a subtask in the background once, when its parent has it", async () => {
  await using rig = await openBackgroundRig(steps);
  const seen: string[] = [];
  const lifecycle = observeLifecycle(rig.host);
  lifecycle.events$.subscribe((event) => {
    if (/^task(Delegated|Delegation)/.test(event.type)) seen.push(event.type);
  });
  await rig.task.run("Do it");
  lifecycle.close();
  expect(seen).toEqual(["taskDelegated", "taskDelegationCompleted", "taskDelegationResumed"]);
});
