import { describe, expect, test } from "vitest";
import { shouldSendMessageAsAskResponse } from "../../../../client/roo/ndjson/ask-response.ts";
import {
  isCancellationLikeError,
  isExpectedControlFlowError,
  isNoActiveTaskLikeError,
  isStreamTeardownLikeError,
} from "../../../../client/roo/ndjson/control-flow-errors.ts";
import { ASKS } from "../../../../machines/message/asks.ts";

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
const OPERATIONS = ["start", "message", "cancel", "shutdown", "client", "runtime"] as const;

/** The operations during which an error is expected. */
const expectedDuring = (error: unknown, shuttingDown?: boolean): string[] =>
  OPERATIONS.filter((operation) =>
    isExpectedControlFlowError(error, {
      stdinStreamMode: true,
      operation,
      ...(shuttingDown !== undefined && { shuttingDown }),
    }),
  );

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
    expect(expectedDuring(error)).toEqual(["cancel", "shutdown", "runtime"]);
    expect(expectedDuring(error, true)).toEqual(OPERATIONS);
  });

  test.each([
    withCode("EPIPE"),
    withCode("ECONNRESET"),
    new Error("write after end"),
    new Error("socket hang up"),
  ])("%s is a teardown: expected while shutting down", (error) => {
    expect(isStreamTeardownLikeError(error)).toBe(true);
    expect(expectedDuring(error)).toEqual(["shutdown"]);
    expect(expectedDuring(error, true)).toEqual(OPERATIONS);
  });

  test.each([
    "No active task to cancel",
    "Task not found",
    "The task is already completed",
    "already completed",
  ])("%j means that no task is active: expected while stopping", (message) => {
    const error = new Error(message);
    expect(isNoActiveTaskLikeError(error)).toBe(true);
    expect(expectedDuring(error)).toEqual(["cancel", "shutdown"]);
    expect(expectedDuring(error, true)).toEqual(OPERATIONS);
  });

  test.each([new Error("disk full"), undefined, null, 7, {}])("%s is none of them", (error) => {
    expect(expectedDuring(error, true)).toEqual([]);
  });

  test("nothing is expected without the stream of commands", () => {
    const facts = { stdinStreamMode: false, shuttingDown: true, operation: "cancel" } as const;
    for (const error of [new Error("aborted"), new Error("no active task"), withCode("EPIPE")])
      expect(isExpectedControlFlowError(error, facts)).toBe(false);
  });
});
