import { expect, it } from "vitest";
import { statusOf } from "../../../visualize/page/model/status.ts";

it.each(["completed", "failed", "limited", "interrupted"] as const)("names why a task rests: %s", (rest) => {
  expect(statusOf({ state: "idle", rest })).toBe(rest);
});

it("names a task whose process ended interrupted, one with an open ask waiting, and any other by its state", () => {
  expect(statusOf({ state: "running", isInterrupted: true })).toBe("interrupted");
  expect(statusOf({ state: "waiting_for_input" })).toBe("waiting");
  expect(statusOf({ state: "streaming" })).toBe("streaming");
});
