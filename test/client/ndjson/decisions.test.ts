import { describe, expect, test } from "vitest";
import {
  isCancellationLikeError,
  isExpectedControlFlowError,
  isNoActiveTaskLikeError,
  isStreamTeardownLikeError,
  shouldSendMessageAsAskResponse,
} from "../../../client/index.ts";
import { ASKS } from "../../../machines/message/index.ts";

test("a message answers the asks that accept a text, and only while the task waits", () => {
  const answered = Object.keys(ASKS).filter((ask) => shouldSendMessageAsAskResponse(true, ask));
  expect(answered.sort()).toEqual(
    [
      ...["followup", "tool", "command", "use_mcp_server", "completion_result", "resume_task"],
      ...["resume_completed_task", "mistake_limit_reached"],
    ].sort(),
  );
  expect(answered.some((ask) => shouldSendMessageAsAskResponse(false, ask))).toBe(false);
  expect(shouldSendMessageAsAskResponse(true, undefined)).toBe(false);
});

const withCode = (code: string): Error => Object.assign(new Error("x"), { code });

describe("expected errors of a cancel or a shutdown", () => {
  test.each([
    new Error("The request was Aborted"),
    new Error("task cancelled"),
    "canceled by the user",
    Object.assign(new Error("x"), { name: "AbortError" }),
    withCode("ABORT_ERR"),
    withCode("ERR_CANCELED"),
    { message: "AbortError: x" },
  ])("%s is a cancellation: expected while stopping, and at the runtime's own level", (error) => {
    expect(isCancellationLikeError(error)).toBe(true);
    expect(isExpectedControlFlowError(error)).toBe(false);
    expect(isExpectedControlFlowError(error, { stopping: true })).toBe(true);
    expect(isExpectedControlFlowError(error, { runtime: true })).toBe(true);
  });

  test.each([
    withCode("EPIPE"),
    withCode("ECONNRESET"),
    new Error("write after end"),
    new Error("socket hang up"),
  ])("%s is a teardown: expected while shutting down", (error) => {
    expect(isStreamTeardownLikeError(error)).toBe(true);
    expect(isExpectedControlFlowError(error, { stopping: true })).toBe(false);
    expect(isExpectedControlFlowError(error, { shuttingDown: true })).toBe(true);
  });

  test("no active task is expected while stopping", () => {
    const error = new Error("No active task to cancel");
    expect(isNoActiveTaskLikeError(error)).toBe(true);
    expect(isExpectedControlFlowError(error)).toBe(false);
    expect(isExpectedControlFlowError(error, { stopping: true })).toBe(true);
  });

  test.each([new Error("disk full"), undefined, null, 7, {}])("%s is none of them", (error) => {
    expect(isExpectedControlFlowError(error, { stopping: true, shuttingDown: true, runtime: true })).toBe(
      false,
    );
  });
});
