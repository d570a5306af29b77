import { expect, it } from "vitest";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { explainRecorded } from "../../../../visualize/trace/explain/explain-recorded.ts";
import { TraceLog } from "../../../../visualize/trace/index.ts";
import type { Microstep } from "../../../../visualize/trace/trace-event.ts";
import { Tracer } from "../../../../visualize/trace/tracer.ts";
import { appended, commit } from "../../../page/panes/trace.ts";

const ASK: ClineMessage = { ts: 2, type: "ask", ask: "api_req_failed", text: "401" };

/** A task that waits after a failed request, and an answer to it. */
function answered(cause: Readonly<Record<string, unknown>>, microsteps?: readonly Microstep[]): TraceLog {
  const tracer = new Tracer("t");
  const records = [
    { seq: 0, kind: "header", version: 3, taskId: "t", createdAt: 0 } as const,
    commit(1, {
      log: [appended({ ts: 1, type: "say", say: "text", text: "Go" }), appended(ASK)],
      after: "idle.failed",
    }),
    commit(2, {
      cause: { type: "ask.answered", at: 3, ...cause },
      before: "idle.failed",
      after: "streaming.preparing",
    }),
  ];
  const events = records.map((record) => tracer.add(record));
  return new TraceLog(
    "t",
    events.map((event, at) => (at === 2 && microsteps ? { ...event, microsteps } : event)),
  );
}

const verdicts = (trace: TraceLog) =>
  explainRecorded(trace, 2)?.steps[0]?.candidates.map(
    ({ guard, verdict, missing }) => `${guard} ${verdict}${missing === undefined ? "" : ` ${missing}`}`,
  );

it("a guard that reads what the journal has is answered: the open ask, and the answer's kind", () => {
  expect(verdicts(answered({ askId: 2, answer: { kind: "yes" } }))).toEqual(["isYes taken", "isNo fails"]);
  expect(verdicts(answered({ askId: 2, answer: { kind: "no" } }))).toEqual(["isYes fails", "isNo taken"]);
  expect(verdicts(answered({ askId: 1, answer: { kind: "yes" } }))).toEqual(["isYes fails", "isNo fails"]);
});

it("a guard that reads what no journal has is not answered, and says what it lacks", () => {
  expect(verdicts(answered({ askId: 2 }))).toEqual([
    "isYes unknown event.answer",
    "isNo unknown event.answer",
  ]);
});

it("the transition that the machine reported is the one that was taken", () => {
  const transitions = [
    { source: "idle.failed", event: "ask.answered", guard: "isNo", targets: ["resumable"] },
  ];
  const microsteps = [{ event: "ask.answered", transitions, actions: [] }];
  expect(verdicts(answered({ askId: 2, answer: { kind: "yes" } }, microsteps))).toEqual([
    "isYes passes",
    "isNo taken",
  ]);
});

it("the ask that an accepted completion keeps open for feedback is not known", () => {
  const tracer = new Tracer("t");
  const done = {
    ts: 2,
    type: "ask",
    ask: "completion_result",
    closing: "answered",
    isAnswered: true,
  } as const;
  const cause = { type: "ask.answered", at: 3, askId: 2, answer: { kind: "text" } };
  const records = [
    { seq: 0, kind: "header", version: 3, taskId: "t", createdAt: 0 } as const,
    commit(1, { log: [appended(done)], after: "idle.completed" }),
    commit(2, { cause, before: "idle.completed", after: "streaming.preparing" }),
  ];
  const trace = new TraceLog(
    "t",
    records.map((record) => tracer.add(record)),
  );
  expect(verdicts(trace)?.[0]).toMatch(/^isTextToCall unknown ask/);
});

it("the beginning of a journal is no macrostep", () => {
  expect(explainRecorded(answered({}), 0)).toBeUndefined();
});
