import { describe, expect, it } from "vitest";
import {
  approvedWithFeedback,
  subtaskCancelled,
  subtaskFailed,
  subtaskFinished,
  toolError,
} from "../../../machines/conversation/notices.ts";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import type { RecordedCall, SubtaskOutcome, ToolCall } from "../../../machines/tool-call/call.ts";
import type { Step } from "../../../verify/index.ts";
import { join } from "../../../verify/laws/join.ts";
import { delegated, outcomeOf, settled, stopped, turnOf } from "./calls.ts";
import { appended, image, pastOf, recorded, say } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";
import {
  afterCrash,
  broke,
  cancel,
  cancelled,
  child,
  DELEGATED,
  ends,
  finished,
  isCut,
  isDone,
  shows,
  starts,
  stops,
  switched,
} from "./subtasks-parts.ts";

const wrongJoin = (parts: StepParts): string | undefined => join.violation(stepOf(parts));

const failed: SubtaskOutcome = { kind: "failed", message: 'no "key"' };
const FAILED = subtaskFailed("t1.1", 'no "key"');
const CUT = subtaskCancelled("t1.1");
const hasFailed = settled("c1", "failed", toolError(FAILED));

const READ = settled("c0", "done", "read");

interface Settling {
  readonly event: TaskEvent;
  /** The call c1 after the macrostep. */
  readonly now?: ToolCall;
  readonly was?: ToolCall;
  readonly emitted?: readonly TaskEmitted[];
  readonly earlier?: readonly TaskEmitted[];
  readonly from?: string;
  readonly to?: string;
}

/** The violation of a macrostep of a task that waits for c1. */
const settling = ({
  event,
  now,
  was = child,
  from = DELEGATED,
  to = "resumable",
  ...parts
}: Settling): Step =>
  stepOf({
    event,
    from,
    to,
    before: { turn: turnOf(READ, was) },
    after: { turn: turnOf(READ, ...(now === undefined ? [] : [now])) },
    earlier: parts.earlier ?? [starts("c1")],
    emitted: parts.emitted ?? [],
  });
const emitted = [stops("c1"), shows("c1")];
const hasEnded = delegated("c1", "t1.1", finished);
const skips: TaskEvent = { type: "checkpoint.skipped", callId: "c1", at: 1 };

describe("a delegated call is settled with the end of its subtask (JOIN)", () => {
  it.each<[string, Settling]>([
    ["finished", { event: ends(finished), now: isDone, emitted }],
    ["cancelled", { event: ends(cancelled), now: isCut, emitted: [stops("c1"), shows("c1", CUT)] }],
    ["failed", { event: ends(failed), now: hasFailed, emitted: [stops("c1"), shows("c1", FAILED)] }],
    [
      "failed, followed by other text",
      {
        event: ends({ kind: "failed", message: "why" }),
        now: settled("c1", "failed", `${subtaskFailed("t1.1", "why")}!`),
        emitted: [stops("c1"), shows("c1", subtaskFailed("t1.1", "why"))],
      },
    ],
    [
      "finished, among other text",
      {
        event: ends(finished),
        now: {
          ...isDone,
          outcome: outcomeOf("done", image, approvedWithFeedback("go"), subtaskFinished("t1.1", "all done")),
        },
        emitted,
      },
    ],
    [
      "as known when the task was opened",
      { event: skips, was: hasEnded, now: isDone, emitted: [shows("c1")] },
    ],
    ["cancelled with its task", { event: cancel, now: isCut, emitted: [stops("c1")] }],
    ["cancelled when the journal fails", { event: broke, now: isCut, emitted: [stops("c1")] }],
    [
      "as known, also when it is cancelled",
      { event: cancel, was: hasEnded, now: isDone, emitted: [shows("c1")] },
    ],
    ["no sooner, and another event changes nothing", { event: switched, now: child, to: DELEGATED }],
    [
      "no sooner, and the end of another changes nothing",
      { event: ends(finished, "c2"), now: child, to: DELEGATED },
    ],
  ])("allows %s", (_, parts) => {
    expect(join.violation(settling(parts))).toBeUndefined();
  });

  it.each<[string, Settling, string]>([
    ["as done, once it failed", { event: ends(failed), now: isDone, emitted }, "c1 was settled as done"],
    ["as failed, once it finished", { event: ends(finished), now: hasFailed, emitted }, "ended as finished"],
    ["as cut, once it finished", { event: ends(finished), now: isCut, emitted }, "ended as finished"],
    ["as done, once it is cancelled", { event: cancel, now: isDone }, "its subtask ended as cancelled"],
    [
      "as another kind with the same text",
      { event: ends(failed), now: settled("c1", "done", ...hasFailed.outcome.content), emitted },
      "c1 was settled as done",
    ],
    [
      "as failed with another text",
      { event: ends(failed), now: settled("c1", "failed", toolError("who knows")), emitted },
      "c1 was settled as failed",
    ],
    [
      "as done with another result",
      { event: ends(finished), now: settled("c1", "done", subtaskFinished("t1.1", "a bit")), emitted },
      "c1 was settled as done",
    ],
    [
      "as done by another subtask",
      { event: ends(finished), now: settled("c1", "done", subtaskFinished("t1.2", "all done")), emitted },
      "c1 was settled as done",
    ],
    ["before it ends", { event: switched, now: isCut }, "was settled before t1.1 ended"],
    ["by the end of another", { event: ends(cancelled, "c2"), now: isCut }, "was settled before t1.1 ended"],
    [
      "by the end of an inactive one",
      { event: ends(cancelled), now: isCut, earlier: [starts("c1"), stops("c1")] },
      "was settled before t1.1 ended",
    ],
    ["by removing it", { event: ends(finished), emitted }, "c1 is gone and was delegated"],
    ["as stopped", { event: cancel, now: stopped("c1") }, "c1 is stopped and was delegated"],
    [
      "without a message",
      { event: ends(finished), now: isDone },
      "0 messages report the end of t1.1, expected 1",
    ],
    [
      "by a message of another call",
      { event: ends(finished), now: isDone, emitted: [shows("c2")] },
      "0 messages report the end of t1.1, expected 1",
    ],
    [
      "by a message of another kind",
      {
        event: ends(finished),
        now: isDone,
        emitted: [appended(say(1, "text", { text: "the end", callId: "c1" }))],
      },
      "0 messages report the end of t1.1, expected 1",
    ],
    [
      "with a message of another text",
      { event: ends(finished), now: isDone, emitted: [shows("c1", "some done")] },
      "the message of t1.1 has some done, expected all done",
    ],
    [
      "with the text of another end",
      { event: ends(cancelled), now: isCut, emitted: [shows("c1", FAILED)] },
      `the message of t1.1 has ${FAILED}, expected ${CUT}`,
    ],
    [
      "by two messages",
      { event: ends(finished), now: isDone, emitted: [shows("c1"), shows("c1")] },
      "2 messages report",
    ],
    [
      "by a message when it is cancelled",
      { event: cancel, now: isCut, emitted },
      "1 messages report the end of t1.1, expected 0",
    ],
    [
      "not at all",
      { event: ends(finished), now: child, to: DELEGATED },
      "the end of t1.1 did not settle its call",
    ],
  ])("forbids to settle it %s", (_, parts, expected) => {
    expect(join.violation(settling(parts))).toContain(expected);
  });

  it("checks each delegated call", () => {
    const both = { turn: turnOf(child, delegated("c2", "t1.2")) };
    const other = settled("c2", "interrupted", subtaskCancelled("t1.2"));
    const parts = { event: cancel, from: DELEGATED, to: "resumable", before: both };
    expect(wrongJoin({ ...parts, after: { turn: turnOf(isCut, other) } })).toBeUndefined();
    expect(wrongJoin({ ...parts, after: { turn: turnOf(isCut) } })).toBe("c2 is gone and was delegated");
  });
});

describe("a call whose subtask continues after a crash", () => {
  const continued = (parts: Partial<Settling> & Pick<Settling, "event">): string | undefined =>
    join.violation(afterCrash(settling({ now: child, from: "resumable", earlier: [], ...parts })));

  it.each<[string, Partial<Settling> & Pick<Settling, "event">]>([
    ["a cancel of its settled task", { event: cancel }],
    ["a failing journal of its settled task", { event: broke }],
    ["any other event", { event: switched }],
    ["any other event when its end is known", { event: switched, was: hasEnded, now: hasEnded }],
    ["the resumption of its task", { event: switched, to: DELEGATED, emitted: [starts("c1")] }],
  ])("may survive %s (JOIN)", (_, parts) => {
    expect(continued(parts)).toBeUndefined();
  });

  it.each<[TaskEvent]>([[cancel], [broke]])(
    "may not survive the stop of its task by $type (JOIN)",
    (event) => {
      expect(continued({ event, from: DELEGATED })).toBe(`c1 is delegated after a ${event.type}`);
    },
  );
});

describe("a reopened task reports the ends of its subtasks (JOIN)", () => {
  const known: readonly RecordedCall[] = [
    { ...child, phase: "delegated" },
    { ...delegated("c2", "t1.2"), phase: "delegated" },
    { ...isDone, callId: "c3" },
  ];
  const childEnds = new Map<string, SubtaskOutcome>([
    ["c1", finished],
    ["c2", cancelled],
  ]);
  const isOtherCut = settled("c2", "interrupted", subtaskCancelled("t1.2"));
  const opened = (calls: readonly ToolCall[], reported: readonly TaskEmitted[], ended?: typeof childEnds) =>
    join.violation(
      afterCrash(
        stepOf({
          event: { type: "task.recovered", at: 1 },
          from: "no_task",
          to: "resumable",
          before: { turn: turnOf(child, delegated("c2", "t1.2")) },
          earlier: [starts("c1"), starts("c2"), stops("c1"), stops("c2")],
          after: { turn: turnOf(...calls) },
          emitted: reported,
          past: { ...pastOf(...known), ...(ended !== undefined && { childEnds: ended }) },
        }),
      ),
    );

  it("allows to report each that ended, and none otherwise", () => {
    const reported = [shows("c1"), shows("c2", subtaskCancelled("t1.2"))];
    expect(opened([isDone, isOtherCut], reported, childEnds)).toBeUndefined();
    expect(opened([child, delegated("c2", "t1.2")], [])).toBeUndefined();
    expect(opened([child, delegated("c2", "t1.2")], [], new Map())).toBeUndefined();
  });

  it("forbids to report a continued one, to confuse ends, or to omit one", () => {
    expect(opened([child, isOtherCut], [])).toBe("c2 was settled before t1.2 ended");
    expect(opened([isCut, isOtherCut], [shows("c1"), shows("c2")], childEnds)).toContain("ended as finished");
    expect(opened([isDone], [shows("c1")], childEnds)).toBe("c2 is gone and was delegated");
    expect(opened([isDone, isOtherCut], [shows("c1")], childEnds)).toContain(
      "0 messages report the end of t1.2",
    );
  });
});

describe("a call is settled once, and the end of its subtask reported once (JOIN)", () => {
  const had = { turn: turnOf(child, delegated("c2", "t1.2")) };
  const reportsOnce = (
    emitted: readonly TaskEmitted[],
    earlier: readonly TaskEmitted[] = [],
  ): string | undefined =>
    wrongJoin({
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
