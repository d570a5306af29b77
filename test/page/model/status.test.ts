import { expect, it } from "vitest";
import { statusOf } from "../../../visualize/page/model/status.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";

const task = (more: Partial<TaskInfo>): TaskInfo => ({
  ...{ id: "a", title: "a", state: "idle", path: "idle", cost: 0, createdAt: 1, updatedAt: 1 },
  ...{ isOpen: false, asks: [], ...more },
});
const ask = { askId: 1, kind: "command", text: "npm test" };

it("reads the reason from the open ask, and of a task that is not open from its last ask", () => {
  const open = task({ state: "waiting_for_input", isOpen: true, asks: [{ ...ask, accepts: ["yes", "no"] }] });
  const elsewhere = task({ state: "waiting_for_input", lastAsk: ask });
  for (const each of [open, elsewhere])
    expect(statusOf(each)).toMatchObject({ group: "needs_you", reason: "asks to run `npm test`" });
});

it("does not count the unanswered ask of a recorded completion as one that needs a person", () => {
  const lastAsk = { askId: 1, kind: "completion_result", text: "" };
  expect(statusOf(task({ rest: "completed", lastAsk })).group).toBe("done");
});

it("counts a subtask that rests on an open ask as one that needs a person: its parent waits for the answer", () => {
  const rested = { isOpen: true, parentId: "p" } as const;
  const accepts: TaskInfo["asks"][number]["accepts"] = ["yes", "no"];
  const completed = { ...ask, kind: "completion_result", accepts };
  expect(statusOf(task({ ...rested, rest: "completed", asks: [completed] }))).toMatchObject({
    name: "waiting",
    group: "needs_you",
    reason: "completed. Accept the result?",
  });
  const failed = { ...ask, kind: "api_req_failed", text: "401 invalid x-api-key", accepts };
  expect(statusOf(task({ ...rested, rest: "failed", asks: [failed] }))).toMatchObject({
    name: "failed",
    group: "needs_you",
    reason: "401 invalid x-api-key",
  });
  expect(statusOf(task({ ...rested, rest: "completed" }))).toMatchObject({
    name: "completed",
    group: "done",
  });
});
