import { expect, it } from "vitest";
import { statusOf } from "../../../visualize/page/model/status.ts";

it.each([
  ["idle.completing", "completed"],
  ["idle.completed", "completed"],
  ["idle.declined", "completed"],
  ["idle.reopened", "completed"],
  ["idle.failed", "failed"],
  ["idle.limited", "limited"],
  ["idle.mistaken", "limited"],
] as const)("names why a task rests: %s is %s", (path, status) => {
  expect(statusOf({ state: "idle", path })).toBe(status);
});

it("names a task that can be resumed interrupted, and one with an open ask waiting", () => {
  expect(statusOf({ state: "resumable", path: "resumable" })).toBe("interrupted");
  expect(statusOf({ state: "waiting_for_input", path: "waiting_for_input.approval" })).toBe("waiting");
  expect(statusOf({ state: "streaming", path: "streaming.receiving" })).toBe("streaming");
});

it("names a task on disk by its summary: its path has no child state", () => {
  expect(statusOf({ state: "idle", path: "idle", isCompleted: true })).toBe("completed");
  expect(statusOf({ state: "running", path: "running", isInterrupted: true })).toBe("interrupted");
});
