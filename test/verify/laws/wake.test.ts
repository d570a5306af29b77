import { describe, expect, it } from "vitest";
import type { TaskEvent, WakeUp } from "../../../machines/task/task.events.ts";
import { wake } from "../../../verify/laws/wake.ts";
import { settled } from "./calls.ts";
import { appended, ask, recorded, say } from "./commit-parts.ts";
import { stepOf } from "./step.ts";

const violationIn = (parts: Parameters<typeof stepOf>[0]) => wake.violation(stepOf(parts));
const DUE: TaskEvent = { type: "wake.due", at: 20 };
const ONCE: WakeUp = { id: "once", at: 10, message: "Look." };
const HOURLY: WakeUp = { id: "hourly", at: 20, everyMs: 100, message: "Look around." };
const LATER: WakeUp = { id: "later", at: 21, message: "Later." };
const said = (text: string, ts = 20) => appended(say(ts, "wake_up", { text }));
const wakesUp = {
  event: DUE,
  from: "idle.completed",
  to: "streaming.preparing",
  before: { wakeUps: [ONCE, HOURLY, LATER] },
  after: { wakeUps: [{ ...HOURLY, at: 120 }, LATER] },
  emitted: [said("Look."), said("Look around.", 21)],
} as const;

describe("a due wake-up (WAKE)", () => {
  it("continues a task at rest with the message of each, in order", () => {
    expect(violationIn(wakesUp)).toBeUndefined();
    expect(violationIn({ ...wakesUp, emitted: wakesUp.emitted.toReversed() })).toBe(
      "expected the messages of 2 wake-ups in idle.completed, got 2",
    );
    expect(violationIn({ ...wakesUp, emitted: [said("Look.")] })).toContain("got 1");
  });

  it.each(["running.calling", "waiting_for_input.approval", "idle.mistaken", "idle.limited"])(
    "continues nothing in %s",
    (from) => {
      expect(violationIn({ ...wakesUp, from })).toContain(`of 0 wake-ups in ${from}, got 2`);
      expect(violationIn({ event: DUE, from, before: wakesUp.before })).toBeUndefined();
    },
  );

  it("continues neither a paused task nor one that a protocol has ended", () => {
    const paused = { ...wakesUp.before, pause: "resting" } as const;
    expect(violationIn({ ...wakesUp, from: "resumable", before: paused })).toContain("of 0 wake-ups");
    const ended = { ...wakesUp.before, control: { protocol: "p", state: {}, shutDown: "over" } };
    expect(violationIn({ ...wakesUp, before: ended })).toContain("of 0 wake-ups");
  });

  it("is over with its message: it is gone, or its next time is in the future", () => {
    expect(violationIn({ ...wakesUp, after: { wakeUps: [ONCE, { ...HOURLY, at: 120 }, LATER] } })).toBe(
      "the wake-up once is not as it was scheduled",
    );
    expect(violationIn({ ...wakesUp, after: { wakeUps: [LATER] } })).toBe(
      "the wake-up hourly is not as it was scheduled",
    );
    expect(violationIn({ ...wakesUp, after: { wakeUps: [HOURLY, LATER] } })).toBe(
      "the wake-up hourly is due again at once",
    );
  });

  it("changes nothing where none is due, and something where one is", () => {
    const none = { ...wakesUp, before: { wakeUps: [LATER] }, after: {}, emitted: [] };
    expect(violationIn({ ...none, to: none.from })).toBeUndefined();
    expect(violationIn(none)).toBe("a wake-up was not due and continued the task in idle.completed");
  });

  it("decides about no call", () => {
    const decision = { callId: "c1", digest: "d", by: { rule: "r" }, at: 20 } as const;
    expect(
      violationIn({ ...wakesUp, emitted: [...wakesUp.emitted, { type: "decision.made", decision }] }),
    ).toBe("a wake-up approved a call");
  });
});

describe("wake-ups that are not due (WAKE)", () => {
  const lost = { from: "idle.completed", before: { wakeUps: [ONCE, LATER] }, after: { wakeUps: [ONCE] } };

  it("say nothing", () => {
    expect(violationIn({ emitted: [said("Look.")] })).toContain("of 0 wake-ups in running.calling, got 1");
    expect(violationIn({ emitted: [appended(ask(1, "followup"))] })).toBeUndefined();
  });

  it("change by a person and by a call alone", () => {
    expect(violationIn(lost)).toBe("task.cancel changed the wake-up later in idle.completed");
    expect(violationIn({ ...lost, event: { type: "wake.cleared", at: 1 } })).toBeUndefined();
    expect(violationIn({ ...lost, emitted: [recorded(settled("c1"))] })).toBeUndefined();
    const third: WakeUp = { ...LATER, id: "third" };
    const event: TaskEvent = { type: "wake.scheduled", at: 1, wakeUp: third };
    expect(violationIn({ ...lost, event, after: { wakeUps: [ONCE, LATER, third] } })).toBeUndefined();
    expect(violationIn({ ...lost, event, after: { wakeUps: [third] } })).toBe(
      "wake.scheduled changed the wake-up once in idle.completed",
    );
  });
});
