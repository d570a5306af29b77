import { describe, expect, it } from "vitest";
import { textBlock } from "../../../machines/conversation/blocks.ts";
import {
  skippedAfterRejection,
  skippedAfterSubtask,
  subtaskFinished,
} from "../../../machines/conversation/notices.ts";
import type { TaskEmitted } from "../../../machines/task/task.events.ts";
import type { ToolCall } from "../../../machines/tool-call/call.ts";
import type { Step } from "../../../verify/index.ts";
import { subtasks } from "../../../verify/laws/subtasks.ts";
import { delegated, NAME, planned, settled, turnOf } from "./calls.ts";
import { appended, image, pastOf, recorded, say } from "./commit-parts.ts";
import { stepOf } from "./step.ts";
import {
  afterCrash,
  cancelled,
  child,
  DELEGATED,
  finished,
  isCut,
  isDone,
  shows,
  starts,
  stops,
  switched,
  wrongWith,
} from "./subtasks-parts.ts";

describe("a task waits while its subtask is active (L16)", () => {
  const stepIn = (state: string, ...calls: readonly ToolCall[]): Step =>
    stepOf({ event: switched, from: state, before: { turn: turnOf(...calls) } });
  const waits = (alive: readonly string[], ...calls: readonly ToolCall[]): string | undefined =>
    wrongWith({
      event: switched,
      from: DELEGATED,
      before: { turn: turnOf(...calls) },
      earlier: alive.map(starts),
    });

  it("allows to wait for the active subtask, and to settle after a crash", () => {
    expect(waits(["c1"], child)).toBeUndefined();
    expect(waits(["c1"], planned("c0"), child, delegated("c2", "t1.2", finished))).toBeUndefined();
    expect(subtasks.violation(afterCrash(stepIn("resumable", child)))).toBeUndefined();
    expect(subtasks.violation(stepIn("resumable", isCut))).toBeUndefined();
  });

  it.each<[string, readonly string[], readonly ToolCall[], string]>([
    ["for none", [], [isDone], "0 subtasks run in running.delegated"],
    ["for one that has ended", ["c1"], [delegated("c1", "t1.1", cancelled)], "0 subtasks run"],
    ["for two", ["c1", "c2"], [child, delegated("c2", "t1.2")], "2 subtasks run"],
    ["for an inactive one", [], [child], "subtask:c1 is not active"],
    ["for one while another is active", ["c2"], [child], "subtask:c1 is not active"],
  ])("forbids to wait %s", (_, alive, calls, expected) => {
    expect(waits(alive, ...calls)).toContain(expected);
  });

  it("forbids to run or settle without a crash", () => {
    expect(subtasks.violation(stepIn("resumable", child))).toBe("c1 is delegated in resumable");
    expect(subtasks.violation(afterCrash(stepIn("running.calling", planned("c0"), child)))).toBe(
      "c1 is delegated in running.calling",
    );
  });
});

describe("a call is settled once, and the end of its subtask reported once (L16)", () => {
  const had = { turn: turnOf(child, delegated("c2", "t1.2")) };
  const reportsOnce = (
    emitted: readonly TaskEmitted[],
    earlier: readonly TaskEmitted[] = [],
  ): string | undefined =>
    wrongWith({
      event: switched,
      from: "running.calling",
      before: had,
      after: { turn: turnOf(isDone, settled("c2", "done", subtaskFinished("t1.2", "all done"))) },
      past: pastOf(),
      earlier: [starts("c1"), ...earlier],
      emitted: emitted,
    });
  const other = settled("c2", "done", "read");

  it.each<[string, readonly TaskEmitted[], readonly TaskEmitted[]]>([
    ["an end", [shows("c1")], []],
    [
      "another message of the call",
      [appended(say(1, "text", { text: "and more", callId: "c1" }))],
      [shows("c1")],
    ],
    [
      "a message of a call without a subtask",
      [appended(say(1, "text", { text: "and more", callId: "c7" }))],
      [],
    ],
    ["a delegated call as settled", [recorded(isDone)], [recorded({ ...child, phase: "delegated" })]],
    ["another call as settled", [recorded(isDone)], [recorded(other)]],
    ["two calls as settled", [recorded(isDone), recorded(other)], []],
    ["a call first as delegated", [recorded({ ...child, phase: "delegated" }), recorded(isDone)], []],
  ])("allows to report %s", (_, emitted, earlier) => {
    expect(reportsOnce(emitted, earlier)).toBeUndefined();
  });

  it.each<[string, readonly TaskEmitted[], readonly TaskEmitted[], string]>([
    ["an end again", [shows("c1")], [shows("c1")], "the end of the subtask of c1 is reported twice"],
    [
      "an end twice in one macrostep",
      [shows("c1"), shows("c1")],
      [],
      "the end of the subtask of c1 is reported twice",
    ],
    ["the end of no subtask", [shows("c2")], [], "c2 has no subtask"],
    ["the end of no call", [appended(say(1, "subtask_result", { text: "the end" }))], [], "has no subtask"],
    ["a call as settled again", [recorded(isDone)], [recorded(isDone)], "c1 was settled twice"],
    [
      "a call as settled twice in one macrostep",
      [recorded(other), recorded(isDone), recorded(isCut)],
      [],
      "c1 was settled twice",
    ],
  ])("forbids to report %s", (_, emitted, earlier, expected) => {
    expect(reportsOnce(emitted, earlier)).toContain(expected);
  });
});

describe("calls planned after a subtask are skipped (L16)", () => {
  /** The violation of delegating c1 as the subtask `childId`, with these calls before and after. */
  const begins = (
    calls: readonly [before: readonly ToolCall[], after: readonly ToolCall[]],
    childId = "t1.2",
  ) =>
    wrongWith({
      event: switched,
      from: "running.calling",
      to: DELEGATED,
      before: { turn: turnOf(delegated("c0", "t1.1", finished), ...calls[0]) },
      earlier: [starts("c0")],
      after: {
        turn: turnOf(delegated("c0", "t1.1", finished), planned("c7"), delegated("c1", childId), ...calls[1]),
      },
      emitted: [starts("c1")],
    });
  const skipped = settled("c2", "skipped", skippedAfterSubtask(NAME));
  const rejected = settled("c2", "skipped", skippedAfterRejection(NAME));
  const invalid = settled("c2", "invalid", "no such tool");

  it.each<[string, readonly ToolCall[], readonly ToolCall[]]>([
    ["no call", [], []],
    ["a skipped call with this text", [planned("c2")], [skipped]],
    ["a new call, skipped with this text", [], [skipped]],
    [
      "a skipped call with this text and an image",
      [],
      [{ ...skipped, outcome: { kind: "skipped", content: [image, textBlock(skippedAfterSubtask(NAME))] } }],
    ],
    ["a call skipped before with another text", [planned("c3"), rejected], [rejected]],
    ["a call with another outcome", [planned("c2")], [invalid]],
  ])("allows %s", (_, before, after) => {
    expect(begins([before, after])).toBeUndefined();
  });

  it.each<[string, readonly ToolCall[], readonly ToolCall[], string]>([
    ["is still planned", [planned("c2")], [planned("c2")], "c2 is behind a subtask and is planned"],
    ["is still planned after another", [planned("c2")], [skipped, planned("c3")], "c3 is behind a subtask"],
    ["is skipped with another text", [planned("c2")], [rejected], "c2 is behind a subtask and is settled"],
    [
      "is skipped with another text, like one before",
      [invalid, planned("c3")],
      [invalid, { ...rejected, callId: "c3" }],
      "c3 is behind",
    ],
    ["is skipped with the text for another tool", [], [{ ...skipped, name: "read_file" }], "c2 is behind"],
  ])("forbids a call that %s", (_, before, after, expected) => {
    expect(begins([before, after])).toContain(expected);
  });

  it("forbids two calls with one subtask", () => {
    expect(begins([[], []], "t1.1")).toBe("t1.1 is the subtask of another call");
  });

  it("ignores calls after a continued subtask", () => {
    const step = { event: switched, from: "resumable", to: DELEGATED, emitted: [starts("c1")] };
    const before = { turn: turnOf(child, planned("c2")) };
    expect(wrongWith({ ...step, before, earlier: [starts("c1"), stops("c1")] })).toBeUndefined();
    expect(wrongWith({ ...step, before })).toBe("c2 is behind a subtask and is planned");
  });
});
