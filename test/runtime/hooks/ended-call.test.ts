import { expect, test } from "vitest";
import { observeLifecycle } from "../../../client/index.ts";
import { TaskEvents } from "../../../tools/temporal/task-events.ts";
import { TestClock } from "../../actors/protocol/host.ts";
import { collect, treeOf } from "../../client/telemetry/collector.ts";
import { hookAt, hookRig, run, WRITES } from "../../support/hooks.ts";

const keeping = hookAt("afterTool", () => ({ decision: "allow" }), WRITES);

test("a call whose result hooks have not seen is recorded as ended, and settled once they have", async () => {
  await using rig = await hookRig([keeping]);
  await run(rig);
  const phases = rig.shown.flatMap(({ commit }) =>
    commit.calls.flatMap(({ name, phase }) => (name === "write_to_file" ? [phase] : [])),
  );
  expect(phases).toEqual(["running", "ended", "settled"]);
});

test("a call that hooks see the result of succeeds for listeners, spans and policies over time", async () => {
  await using rig = await hookRig([keeping]);
  const failed: unknown[] = [];
  const { spans } = collect(rig.host);
  observeLifecycle(rig.host, { clock: new TestClock() }).events$.subscribe((event) => {
    if (event.type === "taskToolFailed") failed.push(event);
  });
  await run(rig);
  const reader = new TaskEvents();
  const ends = rig.shown
    .flatMap(({ commit }) => reader.eventsIn(commit))
    .flatMap((event) =>
      event.kind === "call.ended" && event.tool === "write_to_file" ? [event.outcome] : [],
    );
  expect({ failed, ends }).toEqual({ failed: [], ends: ["done"] });
  expect(treeOf(spans())).toContain("    execute_tool write_to_file");
});
