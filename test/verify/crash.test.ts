import { describe, expect, it } from "vitest";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { RecordedCall } from "../../machines/tool-call/call.ts";
import type { Crash } from "../../verify/crash.ts";
import { mayHaveGrown, reopenedAfter } from "../../verify/crash.ts";
import { firstView } from "../../verify/view.ts";
import { callOf, stopped } from "./laws/calls.ts";
import { ask, logOf, say } from "./laws/commit-parts.ts";
import { fresh } from "./laws/step.ts";

const crash = (parts: Partial<Crash> = {}): Crash => ({
  type: "process.crashed",
  at: 7,
  keepsGrowth: false,
  ends: [],
  childEnds: [],
  ...parts,
});

/** A view of a task with this last message, appended with `text`. */
function viewOf(last: ClineMessage, text: string | undefined, calls: readonly RecordedCall[] = []) {
  const view = firstView({ state: "streaming.receiving", context: fresh });
  const log = logOf(say(1, "text", { text: "before" }), last);
  const { text: _text, ...bare } = last;
  const appended = text === undefined ? bare : { ...last, text };
  return { ...view, recorded: { ...view.recorded, log, calls }, observed: { ...view.observed, appended } };
}

const growing: readonly ClineMessage[] = [
  say(2, "text", { text: "Hello", partial: true }),
  ask(2, "command_output", { text: "Hello" }),
];
const complete: readonly ClineMessage[] = [
  say(2, "text", { text: "Hello" }),
  ask(2, "tool", { text: "Hello" }),
  ask(2, "command_output", { text: "Hello", closing: "answered" }),
];

describe("the recorded state of a task after a crash (L11)", () => {
  it.each(growing)(
    "lacks the text streamed into the last message, unless it was recorded: $type $ask$say",
    (last) => {
      const textAfter = (text: string | undefined, keepsGrowth: boolean) =>
        reopenedAfter(viewOf(last, text), crash({ keepsGrowth })).log.at(-1)?.text;
      expect(textAfter("He", false)).toBe("He");
      expect(textAfter(undefined, false)).toBe("");
      expect(textAfter("He", true)).toBe("Hello");
    },
  );

  it.each(complete)("has a message that can't have grown unchanged: $type $ask$say $closing", (last) => {
    expect(reopenedAfter(viewOf(last, "He"), crash()).log.at(-1)).toEqual(last);
  });

  it("has earlier messages unchanged, and the last one too when nothing streamed into it", () => {
    for (const last of growing) {
      expect(reopenedAfter(viewOf(last, "He"), crash()).log.at(0)?.text).toBe("before");
      const view = viewOf(last, "Hello");
      expect(reopenedAfter(view, crash()).log).toBe(view.recorded.log);
    }
    const nothing = firstView({ state: "no_task", context: fresh });
    expect(reopenedAfter(nothing, crash()).log).toBe(nothing.recorded.log);
  });

  it("has the recorded ends of calls and subtasks", () => {
    const end = { callId: "c1", content: [{ type: "text", text: "done" }] } as const;
    const past = reopenedAfter(
      viewOf(say(2, "text"), undefined, [stopped("c1"), callOf("c2", "asking")]),
      crash({ ends: [end], childEnds: [["c3", { kind: "cancelled" }]] }),
    );
    expect(past.calls).toEqual([{ ...stopped("c1"), end: end.content }, callOf("c2", "asking")]);
    expect(past.childEnds).toEqual(new Map([["c3", { kind: "cancelled" }]]));
    expect(past.openedAt).toBe(7);
  });
});

describe("a message with text that may not be recorded", () => {
  it("is the last one, while it is partial or shows a command's output", () => {
    for (const last of growing) {
      expect(mayHaveGrown(logOf(last))).toBe(true);
      expect(mayHaveGrown(logOf(last, say(3, "text")))).toBe(false);
    }
    for (const last of complete) expect(mayHaveGrown(logOf(last))).toBe(false);
    expect(mayHaveGrown(logOf())).toBe(false);
  });
});
