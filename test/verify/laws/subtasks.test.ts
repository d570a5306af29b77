import { describe, expect, it } from "vitest";
import {
  skippedAfterRejection,
  skippedAfterSubtask,
  subtaskFinished,
  textBlock,
} from "../../../machines/conversation/index.ts";
import type { TaskEmitted } from "../../../machines/task/index.ts";
import type { ToolCall } from "../../../machines/tool-call/index.ts";
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

describe("a task waits while its subtask lives (L16)", () => {
  const rests = (state: string, ...calls: readonly ToolCall[]): Step =>
    stepOf({ event: switched, from: state, before: { turn: turnOf(...calls) } });
  const waits = (alive: readonly string[], ...calls: readonly ToolCall[]): string | undefined =>
    wrongWith({
      event: switched,
      from: DELEGATED,
      before: { turn: turnOf(...calls) },
      earlier: alive.map(starts),
    });

  it("allows that it waits for the one that is at work, and rests where its process had ended", () => {
    expect(waits(["c1"], child)).toBeUndefined();
    expect(waits(["c1"], planned("c0"), child, delegated("c2", "t1.2", finished))).toBeUndefined();
    expect(subtasks.violation(afterCrash(rests("resumable", child)))).toBeUndefined();
    expect(subtasks.violation(rests("resumable", isCut))).toBeUndefined();
  });

  it.each<[string, readonly string[], readonly ToolCall[], string]>([
    ["for none", [], [isDone], "0 subtasks run in running.delegated"],
    ["for one that has ended", ["c1"], [delegated("c1", "t1.1", cancelled)], "0 subtasks run"],
    ["for two", ["c1", "c2"], [child, delegated("c2", "t1.2")], "2 subtasks run"],
    ["for nobody", [], [child], "subtask:c1 is not active"],
    ["for one while another works", ["c2"], [child], "subtask:c1 is not active"],
  ])("forbids that it waits %s", (_, alive, calls, words) => {
    expect(waits(alive, ...calls)).toContain(words);
  });

  it("forbids that it does something else, or rests while its process lives", () => {
    expect(subtasks.violation(rests("resumable", child))).toBe("c1 is delegated in resumable");
    expect(subtasks.violation(afterCrash(rests("running.calling", planned("c0"), child)))).toBe(
      "c1 is delegated in running.calling",
    );
  });
});

describe("a call is settled once, and the end of its subtask told once (L16)", () => {
  const had = { turn: turnOf(child, delegated("c2", "t1.2")) };
  const tellsOnce = (
    told: readonly TaskEmitted[],
    earlier: readonly TaskEmitted[] = [],
  ): string | undefined =>
    wrongWith({
      event: switched,
      from: "running.calling",
      before: had,
      after: { turn: turnOf(isDone, settled("c2", "done", subtaskFinished("t1.2", "all done"))) },
      past: pastOf(),
      earlier: [starts("c1"), ...earlier],
      emitted: told,
    });
  const other = settled("c2", "done", "read");

  it.each<[string, readonly TaskEmitted[], readonly TaskEmitted[]]>([
    ["an end", [shows("c1")], []],
    [
      "another row of the call",
      [appended(say(1, "text", { text: "and more", callId: "c1" }))],
      [shows("c1")],
    ],
    ["a row of a call without a subtask", [appended(say(1, "text", { text: "and more", callId: "c7" }))], []],
    [
      "a call that was delegated as settled",
      [recorded(isDone)],
      [recorded({ ...child, phase: "delegated" })],
    ],
    ["another call as settled", [recorded(isDone)], [recorded(other)]],
    ["two calls as settled", [recorded(isDone), recorded(other)], []],
    ["a call first as delegated", [recorded({ ...child, phase: "delegated" }), recorded(isDone)], []],
  ])("allows to tell %s", (_, told, earlier) => {
    expect(tellsOnce(told, earlier)).toBeUndefined();
  });

  it.each<[string, readonly TaskEmitted[], readonly TaskEmitted[], string]>([
    ["an end again", [shows("c1")], [shows("c1")], "the end of the subtask of c1 is reported twice"],
    [
      "an end twice at once",
      [shows("c1"), shows("c1")],
      [],
      "the end of the subtask of c1 is reported twice",
    ],
    ["the end of no subtask", [shows("c2")], [], "c2 has no subtask"],
    ["the end of no call", [appended(say(1, "subtask_result", { text: "the end" }))], [], "has no subtask"],
    ["a call as settled again", [recorded(isDone)], [recorded(isDone)], "c1 was settled twice"],
    [
      "a call as settled twice at once",
      [recorded(other), recorded(isDone), recorded(isCut)],
      [],
      "c1 was settled twice",
    ],
  ])("forbids to tell %s", (_, told, earlier, words) => {
    expect(tellsOnce(told, earlier)).toContain(words);
  });
});

describe("what was planned behind a subtask is skipped (L16)", () => {
  /** c1 is delegated as the subtask `childId`; `calls` are before and after. */
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
    ["nothing stands there", [], []],
    ["it is skipped in these words", [planned("c2")], [skipped]],
    ["it is new, and skipped in these words", [], [skipped]],
    [
      "it is skipped, with an image beside the words",
      [],
      [{ ...skipped, outcome: { kind: "skipped", content: [image, textBlock(skippedAfterSubtask(NAME))] } }],
    ],
    ["it was skipped before in other words", [planned("c3"), rejected], [rejected]],
    ["it came to another end", [planned("c2")], [invalid]],
  ])("allows that %s", (_, before, after) => {
    expect(begins([before, after])).toBeUndefined();
  });

  it.each<[string, readonly ToolCall[], readonly ToolCall[], string]>([
    ["is still planned", [planned("c2")], [planned("c2")], "c2 is behind a subtask and is planned"],
    ["is still planned behind another", [planned("c2")], [skipped, planned("c3")], "c3 is behind a subtask"],
    ["is skipped in other words", [planned("c2")], [rejected], "c2 is behind a subtask and is settled"],
    [
      "is skipped in other words, like one before",
      [invalid, planned("c3")],
      [invalid, { ...rejected, callId: "c3" }],
      "c3 is behind",
    ],
    ["is skipped in the words for another tool", [], [{ ...skipped, name: "read_file" }], "c2 is behind"],
  ])("forbids that it %s", (_, before, after, words) => {
    expect(begins([before, after])).toContain(words);
  });

  it("forbids that two calls have one subtask", () => {
    expect(begins([[], []], "t1.1")).toBe("t1.1 is the subtask of another call");
  });

  it("leaves what is behind one that goes on", () => {
    const step = { event: switched, from: "resumable", to: DELEGATED, emitted: [starts("c1")] };
    const before = { turn: turnOf(child, planned("c2")) };
    expect(wrongWith({ ...step, before, earlier: [starts("c1"), stops("c1")] })).toBeUndefined();
    expect(wrongWith({ ...step, before })).toBe("c2 is behind a subtask and is planned");
  });
});
