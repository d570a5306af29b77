import { describe, expect, it } from "vitest";
import { taskMachine } from "../../machines/index.ts";
import { ASKS, isIdleAsk } from "../../machines/message/asks.ts";
import { restReason } from "../../wire/rest-reason.ts";

describe("the reason why a task rests", () => {
  it.each([
    ["idle.completing", "completed"],
    ["idle.delivering", "completed"],
    ["idle.completed", "completed"],
    ["idle.declined", "completed"],
    ["idle.reopened", "completed"],
    ["idle.failed", "failed"],
    ["idle.limited", "limited"],
    ["idle.mistaken", "limited"],
    ["resumable", "interrupted"],
  ] as const)("in %s is that it is %s", (path, reason) => {
    expect(restReason(path)).toBe(reason);
  });

  it("exists in each state at rest, and in no other", () => {
    const paths = Object.entries(taskMachine.states).flatMap(([top, { states }]) => {
      const children = Object.keys(states);
      return children.length === 0 ? [top] : children.map((child) => `${top}.${child}`);
    });
    const atRest = paths.filter((path) => /^(idle|resumable)/.test(path));
    expect(paths.filter((path) => restReason(path) !== undefined)).toEqual(atRest);
  });

  it("is that it is ended, if its last ask is the end by its control protocol", () => {
    const ended = { ask: "api_req_failed", errorCode: "shut_down" };
    for (const path of ["idle", "idle.failed"]) expect(restReason(path, ended)).toBe("ended");
    expect(restReason("idle.failed", { ...ended, errorCode: "api_error" })).toBe("failed");
    expect(restReason("running.requesting", ended)).toBeUndefined();
  });

  it("follows from the last ask in an imported task, which is in idle without a child state", () => {
    for (const ask of Object.keys(ASKS)) {
      expect(restReason("idle", { ask }) !== undefined, ask).toBe(isIdleAsk(ask));
      expect(restReason("waiting_for_input", { ask })).toBeUndefined();
    }
    expect(restReason("idle", { ask: "api_req_failed" })).toBe("failed");
    expect(restReason("idle", { ask: "auto_approval_max_req_reached" })).toBe("limited");
    expect(restReason("idle", { ask: "resume_completed_task" })).toBe("completed");
    expect(restReason("idle")).toBeUndefined();
    expect(restReason("resumable", { ask: "resume_task" })).toBe("interrupted");
  });
});
