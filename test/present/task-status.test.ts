import { describe, expect, test } from "vitest";
import { type StatusFacts, TASK_GROUPS, TASK_STATUS_NAMES, taskStatus } from "../../present/task-status.ts";

const idle = { state: "idle" } as const;
const failure = (code: string, message: string): StatusFacts => ({
  ...idle,
  rest: "failed",
  error: { code, message },
});
const waiting = (kind: string, text: string): StatusFacts => ({
  state: "waiting_for_input",
  ask: { kind, text },
});
/** The status as a person reads it. */
const read = (facts: StatusFacts): string => {
  const { group, word, reason } = taskStatus(facts);
  return `${group}: ${word}${reason === "" ? "" : `, ${reason}`}`;
};

describe("the status of a task", () => {
  test.each<readonly [StatusFacts, string]>([
    [waiting("command", "npm run build"), "needs_you: waiting, asks to run `npm run build`"],
    [
      waiting(
        "tool",
        JSON.stringify({ tool: "appliedDiff", path: "a.ts", diffStats: { added: 3, removed: 1 } }),
      ),
      "needs_you: waiting, asks to edit a.ts (+3 -1)",
    ],
    [
      waiting("tool", JSON.stringify({ tool: "newFileCreated", path: "b.ts" })),
      "needs_you: waiting, asks to create b.ts",
    ],
    [waiting("tool", JSON.stringify({ tool: "other" })), "needs_you: waiting, asks to use other"],
    [
      waiting("use_mcp_server", JSON.stringify({ type: "use_mcp_tool", serverName: "s", toolName: "t" })),
      "needs_you: waiting, asks to call s/t",
    ],
    [waiting("followup", JSON.stringify({ question: "Which one?" })), "needs_you: waiting, asks: Which one?"],
    [waiting("tool", "{"), "needs_you: waiting, the agent wants to use a tool. Allow it?"],
    [
      { state: "running", path: "running.calling", held: ["tool.finished"] },
      "needs_you: held, holds tool.finished",
    ],
    [
      { state: "running", held: [], broken: { law: "L8", reason: "two open asks" } },
      "needs_you: held, breaks L8: two open asks",
    ],
    [failure("authentication_error", "401 invalid x-api-key"), "failed: failed, 401 invalid x-api-key"],
    [failure("request_denied", "A hook denied it."), "failed: denied, A hook denied it."],
    [failure("shut_down", "The protocol gave up."), "failed: ended by its protocol, The protocol gave up."],
    [
      {
        ...idle,
        rest: "limited",
        ask: { kind: "auto_approval_max_req_reached", text: JSON.stringify({ count: 20, type: "requests" }) },
      },
      "failed: limited, reached 20 requests",
    ],
    [
      {
        ...idle,
        rest: "limited",
        ask: { kind: "mistake_limit_reached", text: "3 consecutive errors. Give guidance, or continue." },
      },
      "failed: mistaken, made 3 errors in a row",
    ],
    [
      { state: "resumable", rest: "interrupted", isInterrupted: true },
      "failed: interrupted, its process ended",
    ],
    [
      { ...waiting("command", "ls"), state: "resumable", isInterrupted: true },
      "failed: interrupted, its process ended while it waited: asks to run `ls`",
    ],
    [
      { state: "no_task", problem: { kind: "unreadable", reason: "line 1: no JSON" } },
      "failed: damaged, line 1: no JSON",
    ],
    [{ state: "streaming", path: "streaming.receiving" }, "running: streaming, receives a response"],
    [{ state: "running", path: "running.delegated" }, "running: running, waits for its subtasks"],
    [{ ...idle, rest: "completed", problem: { kind: "torn", reason: "no newline" } }, "done: completed"],
    [{ ...idle, rest: "completed", path: "idle.declined" }, "done: completed, its result was declined"],
    [{ state: "resumable", rest: "interrupted", isCancelled: true }, "done: cancelled"],
    [
      { state: "resumable", rest: "interrupted", stoppedAsk: { kind: "command", text: "npm test" } },
      "failed: interrupted, while it asked to run `npm test`",
    ],
    [
      { state: "resumable", rest: "interrupted", stoppedAsk: { kind: "command", text: "" } },
      "failed: interrupted, while it asked to run a command",
    ],
    [
      { state: "resumable", rest: "interrupted", stoppedAsk: { kind: "tool", text: "{" } },
      "failed: interrupted, while it waited: the agent wants to use a tool. Allow it?",
    ],
    [{ state: "no_task" }, "done: new"],
  ])("has a group, a word and a reason: %j", (facts, expected) => {
    expect(read(facts)).toBe(expected);
  });

  test("names a completion whose ask is open completed, and not waiting", () => {
    const ask = { kind: "completion_result", text: "" };
    expect(read({ ...idle, rest: "completed", ask })).toBe("done: completed");
  });

  test("keeps the failure of a task that was opened again and has not continued", () => {
    const error = { code: "authentication_error", message: "401" };
    const ask = { kind: "resume_task", text: "" };
    expect(read({ state: "resumable", rest: "interrupted", error, ask })).toBe("failed: failed, 401");
  });

  test("has the sentence of a limit after the task was opened again", () => {
    const error = { code: "request_limit", message: "The limit of 20 (requests) is reached." };
    const ask = { kind: "resume_task", text: "" };
    expect(read({ state: "resumable", rest: "interrupted", error, ask })).toBe(
      "failed: limited, The limit of 20 (requests) is reached.",
    );
  });

  test("has a reason of one line and of limited length, in which each line of a failure is a sentence", () => {
    const { reason } = taskStatus(failure("x", `a\n b.\nc ${"d".repeat(1_000)}`));
    expect(reason).toMatch(/^a. b. c d+…$/);
    expect(reason).toHaveLength(240);
  });

  test("has a name of a known list, and groups are ordered by urgency", () => {
    expect(TASK_STATUS_NAMES).toContain(taskStatus({ state: "running" }).name);
    expect(TASK_GROUPS).toEqual(["needs_you", "failed", "running", "done"]);
  });
});
