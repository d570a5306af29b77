import { expect, it } from "vitest";
import { criticalPath, timeByLane } from "../../../visualize/page/timeline/critical-path.ts";
import { type Happening, inShort, START, trace, WAITING } from "./support.ts";

const pathOf = (happenings: readonly Happening[], end: number) => {
  const { index, length } = trace(happenings);
  return criticalPath(index.timeline.bars, { seq: length - 1, at: START + end });
};

it("the critical path leads from the end to the bar that caused each one, as far back as the start", () => {
  expect(pathOf(WAITING, 1_054_800).map(({ bar, to }) => `${inShort(bar)} until ${to - START}`)).toEqual([
    "person ask 1054800- until 1054800",
    "tools tool 1048800-1054800 until 1054800",
    "person ask 5800-1048800 until 1048800",
    "checks review 5600-5800 until 5800",
    "model response 3600-5700 until 5600",
    "model request 2600-3600 until 3600",
    "setup context 2500-2600 until 2600",
    "model retry 500-2500 until 2500",
    "model request 100-500 until 500",
    "setup context 0-100 until 100",
  ]);
});

it("the critical path does not contain activities that ran in parallel", () => {
  const path = pathOf(
    [
      { at: 0, cause: "llm.finished", after: "running", effects: "+tool:short +tool:long" },
      {
        at: 10,
        cause: { type: "tool.finished", callId: "short", at: 0 },
        after: "running",
        effects: "-tool:short",
      },
      {
        ...{ at: 500, cause: { type: "tool.finished", callId: "long", at: 0 }, after: "streaming.preparing" },
        effects: "-tool:long +context",
      },
      { at: 600, cause: "context.ready", after: "streaming.receiving", effects: "-context" },
    ],
    600,
  );
  expect(path.map(({ bar }) => bar.subject)).toEqual(["context", "long"]);
});

it("the critical path goes on before an event of a person with the bar that ended last", () => {
  const path = pathOf(
    [
      { at: 0, cause: "llm.finished", after: "running", effects: "+tool:a" },
      { at: 10, cause: "tool.finished", after: "idle", effects: "-tool:a" },
      { at: 90, cause: "task.start", after: "streaming.preparing", effects: "+context" },
    ],
    100,
  );
  expect(path.map(({ bar }) => inShort(bar))).toEqual(["setup context 90-", "tools tool 0-10"]);
});

it("the time of the critical path in each lane is listed with the longest first", () => {
  expect(timeByLane(pathOf(WAITING, 1_054_800))).toEqual([
    ["person", 1_043_000],
    ["tools", 6_000],
    ["model", 5_400],
    ["checks", 200],
    ["setup", 200],
  ]);
});
