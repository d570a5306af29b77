import { describe, expect, it } from "vitest";
import type { TaskContext } from "../../../machines/task/task.context.ts";
import type { Counters, TaskEvent } from "../../../machines/task/task.events.ts";
import type { Notice, Review, ToolCall } from "../../../machines/tool-call/call.ts";
import { loopGuards } from "../../../verify/laws/loop-guards.ts";
import { callOf, reviewOf, turnOf } from "./calls.ts";
import { appended, say } from "./commit-parts.ts";
import { fresh, type StepParts, stepOf } from "./step.ts";

const found = (parts: StepParts): string | undefined => loopGuards.violation(stepOf(parts));
const reviewed = (review: Review): TaskEvent => ({ type: "call.reviewed", at: 1, callId: "c1", review });
const deciding = { turn: turnOf(callOf("c1", "deciding")) };
const limited = (limits: Partial<TaskContext["limits"]>) => ({ limits: { ...fresh.limits, ...limits } });

describe("a call is counted in the rows that it continues (L14)", () => {
  /** The digests and counts of the newest three calls. */
  const rows = (...calls: readonly (readonly [string, number])[]): { counters: Counters } => {
    const [repeated = NONE, ...cycles] = calls.map(([digest, times]) => ({ digest, times }));
    return { counters: { ...fresh.counters, repeated, cycles } };
  };
  const NONE = { digest: "", times: 0 };
  const NOT_COUNTED = "repetitions: c1 was not counted";
  const call = (before: object, after: object, review: Review = reviewOf({ digest: "A" })) =>
    found({
      before: { ...deciding, ...limited({ repetitions: 2 }), ...before },
      event: reviewed(review),
      after: { turn: turnOf(callOf("c1", "decided")), ...after },
    });

  it("the first call in rows of one, two and three", () => {
    expect(call({}, rows(["A", 1], ["", 2], ["", 3]))).toBeUndefined();
    for (const after of [{}, rows(["A", 2], ["", 2], ["", 3]), rows(["B", 1], ["", 2], ["", 3])])
      expect(call({}, after)).toBe(NOT_COUNTED);
  });

  it("as the newest, before those that came earlier", () => {
    const before = rows(["B", 1], ["A", 3], ["C", 3]);
    expect(call(before, rows(["A", 1], ["B", 4], ["A", 3]))).toBeUndefined();
    for (const after of [
      before,
      rows(["A", 1], ["B", 3], ["A", 3]),
      rows(["A", 1], ["A", 4], ["B", 3]),
      rows(["A", 1], ["B", 4], ["A", 4]),
    ])
      expect(call(before, after)).toBe(NOT_COUNTED);
  });

  it.each([
    ["a denied one", reviewOf({ digest: "A", verdict: { kind: "deny", rule: "r", reason: "no" } })],
    ["a question", reviewOf({ digest: "A", effect: "asks" })],
    ["an invalid one", { valid: false, error: "no" } as const],
  ])("but not %s", (_, review) => {
    expect(call({}, {}, review)).toBeUndefined();
  });

  it("but not one that is not under review", () => {
    expect(call({ turn: turnOf(callOf("c1", "settled")) }, {})).toBeUndefined();
    expect(call({ turn: turnOf() }, {})).toBeUndefined();
  });

  it("and none by another event", () => {
    expect(
      found({ before: deciding, event: { type: "task.cancel", origin: "user", at: 1 } }),
    ).toBeUndefined();
  });

  describe.each([
    [1, rows(["A", 2], ["A", 2], ["A", 3]), rows(["A", 1], ["B", 2], ["C", 3])],
    [2, rows(["B", 1], ["A", 5], ["B", 3]), rows(["B", 1], ["A", 4], ["B", 3])],
    [3, rows(["B", 1], ["C", 2], ["A", 8]), rows(["B", 1], ["C", 2], ["A", 7])],
  ])("or refused, if a cycle of %i exceeds the limit of 2", (length, before, below) => {
    const refusal = (notice?: Notice) => ({
      turn: turnOf(callOf("c1", "settled", notice === undefined ? {} : { notice })),
    });
    const accepted = `repetitions: a cycle of ${length} calls was repeated more than 2 times`;

    it("with a notice", () => {
      expect(call(before, refusal({ say: "error", text: "no" }))).toBeUndefined();
      expect(call(before, refusal({ say: "diff_error", text: "no" }))).toBe(accepted);
      expect(call(before, refusal())).toBe(accepted);
      expect(call(before, {})).toBe(accepted);
    });

    it("and not before, nor with the limit 0", () => {
      const refused = refusal({ say: "error", text: "no" });
      expect(call(below, refused)).toBe(NOT_COUNTED);
      expect(call({ ...before, ...limited({ repetitions: 0 }) }, refused)).toBe(NOT_COUNTED);
    });
  });
});

describe("a failed diff (L14)", () => {
  const invalid = reviewed({ valid: false, error: "no", patches: "a" });
  const failed: TaskEvent = { type: "tool.failed", at: 1, callId: "c1", error: "no" };
  const running = { turn: turnOf(callOf("c1", "running", { patches: "a" })) };
  const noticed = (text: string, kind: Notice["say"] = "diff_error"): { turn: TaskContext["turn"] } => ({
    turn: turnOf(callOf("c1", "settled", { notice: { say: kind, text } })),
  });
  const files = (...counts: readonly (readonly [string, number])[]) => ({
    failedDiffs: counts.map(([file, times]) => ({ file, times })),
  });
  const shown = [appended(say(1, "diff_error"))];
  const limits = limited({ diffFailures: 3, diffFiles: 2 });
  const review = (before: object, after: object) =>
    found({ before: { ...deciding, ...limits, ...before }, event: invalid, after });
  const run = (before: object, after: object, emitted = shown) =>
    found({ before: { ...running, ...limits, ...before }, event: failed, after, emitted });

  describe.each([
    ["that its review finds", review],
    ["of a running call", run],
  ])("%s", (_, end) => {
    it("has a notice of its own, and is counted", () => {
      expect(end({}, { ...noticed("no"), ...files(["a", 1]) })).toBeUndefined();
      expect(end({}, { ...noticed("no", "error"), ...files(["a", 1]) })).toBe(
        "diffFailures: a failed diff has no notice",
      );
      expect(end({}, noticed("no"))).toBe("diffFailures: 0 failures are counted after 1");
      expect(
        end(files(["b", 2], ["a", 1]), { ...noticed("no"), ...files(["b", 2], ["a", 2]) }),
      ).toBeUndefined();
      expect(end(files(["a", 1]), { ...noticed("no"), ...files(["a", 1]) })).toBe(
        "diffFailures: 1 failures are counted after 2",
      );
    });

    it("has the advice at the limit, where its count ends", () => {
      const before = files(["a", 2]);
      expect(end(before, { ...noticed("use write_to_file"), ...files() })).toBeUndefined();
      expect(end(before, { ...noticed("no"), ...files() })).toBe(
        "diffFailures: the limit of 3 was reached without the advice",
      );
      expect(end(before, { ...noticed("use write_to_file"), ...files(["a", 3]) })).toBe(
        "diffFailures: 3 failures are counted at the limit",
      );
    });

    it("is not counted without a limit, or without files to count", () => {
      expect(end(limited({ diffFailures: 0 }), noticed("no"))).toBeUndefined();
      expect(end(limited({ diffFailures: 3, diffFiles: 0 }), noticed("no"))).toBeUndefined();
    });
  });

  it("of a running call has its message at once", () => {
    const after = { ...noticed("no"), ...files(["a", 1]) };
    for (const emitted of [[], [appended(say(1, "error"))]])
      expect(run({}, after, emitted)).toBe("diffFailures: a failed diff has no message");
  });

  it("ends its count when one is applied to its file", () => {
    const before = { ...running, ...files(["a", 1], ["b", 1]) };
    const event: TaskEvent = { type: "tool.finished", at: 1, callId: "c1", content: [] };
    const after = { turn: turnOf(callOf("c1", "settled")) };
    expect(found({ before, event, after: { ...after, ...files(["b", 1]) } })).toBeUndefined();
    expect(found({ before, event, after })).toBe("diffFailures: they are counted after a success");
  });

  it.each<[string, ToolCall, TaskEvent]>([
    ["a failure of another tool", callOf("c1", "running"), failed],
    ["a failure of a call that does not run", callOf("c1", "stopped"), failed],
    ["an event of no call", callOf("c2", "running", { patches: "a" }), failed],
    ["an invalid call without a diff", callOf("c1", "deciding"), reviewed({ valid: false, error: "no" })],
    ["a late review", callOf("c1", "settled"), invalid],
    [
      "a status",
      callOf("c1", "running", { patches: "a" }),
      { type: "tool.output", at: 1, callId: "c1", text: "." },
    ],
  ])("is not %s", (_, call, event) => {
    expect(found({ before: { turn: turnOf(call) }, event })).toBeUndefined();
  });

  it("is counted for at most diffFiles files", () => {
    expect(found({ before: limits, after: files(["a", 1], ["b", 1]) })).toBeUndefined();
    expect(found({ before: limits, after: files(["a", 1], ["b", 1], ["c", 1]) })).toBe("diffFiles: 3 of 2");
  });
});
