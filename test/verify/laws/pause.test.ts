import { describe, expect, it } from "vitest";
import { textBlock } from "../../../machines/conversation/blocks.ts";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import { pause } from "../../../verify/laws/pause.ts";
import { appended, ask, say } from "./commit-parts.ts";
import { stepOf } from "./step.ts";

const violationIn = (parts: Parameters<typeof stepOf>[0]) => pause.violation(stepOf(parts));
const ASKED = { pause: "asked" } as const;
const RESTING = { pause: "resting" } as const;
const PAUSE: TaskEvent = { type: "task.pause", at: 1 };
const YES: TaskEvent = { type: "ask.answered", at: 1, askId: 1, answer: { kind: "yes" } };
const PAUSED = appended(ask(1, "resume_task", { reason: "paused" }));
const stopped = (effect: "timer" | "tool"): TaskEmitted => ({ type: "effect.stopped", effect, id: "1" });

describe("a pause that is asked for (PAUSE)", () => {
  it("takes effect while the task works, and only then", () => {
    expect(violationIn({ event: PAUSE, after: ASKED })).toBeUndefined();
    expect(violationIn({ event: PAUSE })).toBe("a pause changed nothing in running.calling");
    expect(violationIn({ event: PAUSE, from: "idle.completed" })).toBeUndefined();
    expect(violationIn({ from: "idle.completed", after: ASKED })).toBe(
      "a pause is asked for in idle.completed",
    );
  });

  it("stops a timer at most", () => {
    const wait = { event: PAUSE, from: "running.retrying", to: "resumable", after: RESTING };
    expect(violationIn({ ...wait, emitted: [stopped("timer"), PAUSED] })).toBeUndefined();
    expect(violationIn({ event: PAUSE, after: ASKED, emitted: [stopped("tool")] })).toBe(
      "a pause emitted effect.stopped in running.calling",
    );
  });

  it("lets no request open, but one that is open goes on", () => {
    const opens = { before: ASKED, from: "running.retrying", to: "streaming.preparing" };
    expect(violationIn(opens)).toBe("a request opened in running.retrying after a pause");
    expect(violationIn({ ...opens, from: "streaming.preparing", to: "streaming.receiving" })).toBeUndefined();
  });
});

describe("a task that rests for a pause (PAUSE)", () => {
  const rests = { before: ASKED, after: RESTING, from: "running.calling", to: "resumable" };

  it("says so in one ask", () => {
    expect(violationIn({ ...rests, emitted: [PAUSED] })).toBeUndefined();
    expect(violationIn(rests)).toBe("0 asks say that the task is paused");
    expect(violationIn({ ...rests, emitted: [appended(ask(1, "resume_task"))] })).toBe(
      "0 asks say that the task is paused",
    );
  });

  it("is in resumable", () => {
    expect(violationIn({ ...rests, to: "idle.failed", emitted: [PAUSED] })).toBe(
      "a pause rests in idle.failed",
    );
  });

  it("goes on by an answer alone, which adds what a person says and nothing else", () => {
    const resumes = { before: RESTING, after: { pause: null }, from: "resumable", to: "streaming.preparing" };
    expect(violationIn({ ...resumes, event: YES })).toBeUndefined();
    expect(violationIn(resumes)).toBe("task.cancel ended a pause");
    const added = {
      ...resumes,
      event: YES,
      after: { pause: null, pending: [textBlock("It was interrupted.")] },
    };
    expect(violationIn(added)).toBe("the resume of a pause added content");
    expect(violationIn({ ...added, emitted: [appended(say(2, "user_feedback"))] })).toBeUndefined();
  });
});
