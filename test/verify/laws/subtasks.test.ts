import { describe, expect, it } from "vitest";
import { textBlock } from "../../../machines/conversation/blocks.ts";
import { skippedAfterRejection, skippedAfterSubtask } from "../../../machines/conversation/notices.ts";
import type { ToolCall } from "../../../machines/tool-call/call.ts";
import type { Step } from "../../../verify/index.ts";
import { subtasks } from "../../../verify/laws/subtasks.ts";
import { callOf, delegated, NAME, planned, reviewOf, settled, turnOf } from "./calls.ts";
import { image } from "./commit-parts.ts";
import { stepOf } from "./step.ts";
import {
  afterCrash,
  cancelled,
  child,
  DELEGATED,
  finished,
  isCut,
  isDone,
  starts,
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

  const second = delegated("c2", "t1.2");
  const isRead = settled("c0", "done", "read");

  it("allows to wait for active subtasks, and to settle after a crash", () => {
    expect(waits(["c1"], child)).toBeUndefined();
    expect(waits(["c1", "c2"], isRead, child, second)).toBeUndefined();
    expect(waits(["c1"], isRead, child, delegated("c2", "t1.2", finished))).toBeUndefined();
    expect(waits(["c1"], child, { ...second, rests: "paused" }, callOf("c3", "approved"))).toBeUndefined();
    expect(subtasks.violation(afterCrash(stepIn("resumable", child)))).toBeUndefined();
    expect(subtasks.violation(stepIn("resumable", { ...child, rests: "paused" }))).toBeUndefined();
    expect(subtasks.violation(stepIn("resumable", isCut))).toBeUndefined();
  });

  const five = ["c1", "c2", "c3", "c4", "c5"];

  it.each<[string, readonly string[], readonly ToolCall[], string]>([
    ["for none", [], [isDone], "0 subtasks work in running.delegated"],
    ["for one that has ended", ["c1"], [delegated("c1", "t1.1", cancelled)], "0 subtasks work"],
    ["for an inactive one", [], [child], "0 subtasks work"],
    ["for one while nothing works for another", ["c2"], [child, second], "nothing works for c1"],
    ["for more than the limit", five, five.map((id) => delegated(id, `t1.${id}`)), "5 subtasks work"],
    ["beside a planned call", ["c1"], [planned("c0"), child], "c0 is planned while subtasks work"],
    ["beside a running call", ["c1"], [callOf("c0", "running"), child], "c0 is running while subtasks work"],
  ])("forbids to wait %s", (_, alive, calls, expected) => {
    expect(waits(alive, ...calls)).toContain(expected);
  });

  it("forbids to run or settle without a crash", () => {
    expect(subtasks.violation(stepIn("resumable", child))).toContain("nothing works for c1");
    expect(subtasks.violation(afterCrash(stepIn("running.calling", isRead, child)))).toBe(
      "c1 is delegated in running.calling",
    );
  });

  it("forbids to continue only one subtask with its task", () => {
    const resumes = (...alive: readonly string[]) =>
      wrongWith({
        event: { type: "ask.answered", askId: 1, answer: { kind: "yes" }, at: 1 },
        from: "resumable",
        to: DELEGATED,
        before: { turn: turnOf(child, { ...second, rests: "paused" }) },
        after: { turn: turnOf(child, { ...second, rests: "paused" }) },
        earlier: alive.map(starts),
      });
    expect(resumes("c1", "c2")).toBeUndefined();
    expect(resumes("c1")).toBe("the subtask of c2 was not continued with the task");
  });
});

describe("calls after a subtask that need none are skipped (L16)", () => {
  /** The violation of delegating c1 as the subtask `childId`, with these calls after it. */
  const begins = (calls: readonly ToolCall[], childId = "t1.2") =>
    wrongWith({
      event: switched,
      from: "running.calling",
      to: DELEGATED,
      before: { turn: turnOf(delegated("c0", "t1.1", finished)) },
      earlier: [starts("c0")],
      after: { turn: turnOf(delegated("c0", "t1.1", finished), delegated("c1", childId), ...calls) },
      emitted: [starts("c1")],
    });
  const skipped = settled("c2", "skipped", skippedAfterSubtask(NAME));

  it.each<[string, readonly ToolCall[]]>([
    ["no call", []],
    ["a skipped call", [skipped]],
    ["a call with another outcome", [settled("c2", "invalid", "no such tool")]],
  ])("allows %s", (_, after) => {
    expect(begins(after)).toBeUndefined();
  });

  it.each<[string, readonly ToolCall[], string]>([
    ["is still planned", [planned("c2")], "c2 is planned while subtasks work"],
    ["is still planned after another", [skipped, planned("c3")], "c3 is planned while subtasks work"],
  ])("forbids a call that %s", (_, after, expected) => {
    expect(begins(after)).toContain(expected);
  });

  it("forbids two calls with one subtask", () => {
    expect(begins([], "t1.1")).toBe("t1.1 is the subtask of another call");
  });

  const approved: ToolCall = { ...callOf("c1", "approved"), review: reviewOf({ effect: "delegates" }) };
  const skips = (after: ToolCall, first: ToolCall = approved) =>
    wrongWith({
      event: switched,
      from: "running.calling",
      before: { turn: turnOf(first, callOf("c2", "decided")) },
      after: { turn: turnOf(first, after) },
    });

  it.each<[string, ToolCall]>([
    ["with this text", skipped],
    [
      "with this text and an image",
      { ...skipped, outcome: { kind: "skipped", content: [image, textBlock(skippedAfterSubtask(NAME))] } },
    ],
  ])("allows to skip a call behind an approved one %s", (_, after) => {
    expect(skips(after)).toBeUndefined();
  });

  it.each<[string, ToolCall]>([
    ["with another text", settled("c2", "skipped", skippedAfterRejection(NAME))],
    ["with the text for another tool", { ...skipped, name: "read_file" }],
    ["as done", settled("c2", "done", "read")],
  ])("forbids to settle a call behind an approved one %s", (_, after) => {
    expect(skips(after)).toContain("c2 is behind a subtask");
    expect(skips(after, callOf("c1", "approved"))).toBeUndefined();
  });
});
