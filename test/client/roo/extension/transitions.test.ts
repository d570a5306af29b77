import { describe, expect, test } from "vitest";
import {
  streamingEnded,
  streamingStarted,
  taskCompleted,
  transitionedToRunning,
  transitionedToWaiting,
} from "../../../../client/index.ts";
import { isSignificantStateChange } from "../../../../client/roo/extension/transitions.ts";
import { detectAgentState } from "../../../../machines/message/detect.ts";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { ask, say } from "./spoken.ts";

const none = detectAgentState([]);
const stateAfter = (row: ClineMessage) => detectAgentState([row]);
const running = stateAfter(say(1, "text"));
const streaming = stateAfter(say(2, "text", { partial: true }));
const waiting = stateAfter(ask(3, "tool"));

describe("a transition", () => {
  test("is significant if the state or the ask changes", () => {
    expect(isSignificantStateChange(none, running)).toBe(true);
    expect(isSignificantStateChange(running, stateAfter(say(9, "text")))).toBe(false);
    expect(isSignificantStateChange(waiting, stateAfter(ask(3, "command")))).toBe(true);
    expect(isSignificantStateChange(waiting, stateAfter(ask(4, "tool")))).toBe(true);
    expect(isSignificantStateChange(waiting, stateAfter(ask(3, "tool", { text: "grown" })))).toBe(false);
  });

  test("leads to waiting from running, or from another ask", () => {
    expect(transitionedToWaiting(running, waiting)).toBe(true);
    expect(transitionedToWaiting(waiting, waiting)).toBe(false);
    expect(transitionedToWaiting(waiting, stateAfter(ask(4, "tool")))).toBe(true);
    expect(transitionedToWaiting(waiting, running)).toBe(false);
  });

  test("leads to running only from waiting", () => {
    expect(transitionedToRunning(waiting, running)).toBe(true);
    expect(transitionedToRunning(waiting, streaming)).toBe(true);
    expect(transitionedToRunning(running, streaming)).toBe(false);
    expect(transitionedToRunning(waiting, none)).toBe(false);
  });

  test("starts and ends streaming", () => {
    expect([streamingStarted(running, streaming), streamingEnded(running, streaming)]).toEqual([true, false]);
    expect([streamingStarted(streaming, waiting), streamingEnded(streaming, waiting)]).toEqual([false, true]);
    expect([streamingStarted(streaming, streaming), streamingEnded(streaming, streaming)]).toEqual([
      false,
      false,
    ]);
  });

  test.each([
    ["completion_result", true],
    ["resume_completed_task", true],
    ["api_req_failed", false],
    ["mistake_limit_reached", false],
  ])("to %s completes the task: %s", (kind, completes) => {
    expect(taskCompleted(running, stateAfter(ask(5, kind)))).toBe(completes);
    expect(taskCompleted(stateAfter(ask(5, kind)), stateAfter(ask(5, kind)))).toBe(false);
    expect(taskCompleted(running, stateAfter(ask(5, kind, { partial: true })))).toBe(false);
  });

  test("from one completion to the next is a completion again", () => {
    expect(
      taskCompleted(stateAfter(ask(5, "completion_result")), stateAfter(ask(8, "completion_result"))),
    ).toBe(true);
  });
});
