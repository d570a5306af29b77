import { describe, expect, it } from "vitest";
import type { TaskContext } from "../../../machines/task/task.context.ts";
import type { Budget, TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import type { CallIn, SubtaskOutcome } from "../../../machines/tool-call/call.ts";
import type { Grant } from "../../../machines/tool-call/grant.ts";
import { budget as law } from "../../../verify/laws/budget.ts";
import { delegated, settled, turnOf } from "./calls.ts";
import { appended, pastOf, say, started } from "./commit-parts.ts";
import { fresh, type StepParts, stepOf } from "./step.ts";

const found = (parts: StepParts): string | undefined => law.violation(stepOf(parts));

const GRANTED: Grant = { requests: 5, tasks: 2, depth: 1, cost: 1 };
const has = (left: Grant, state: "own" | "lent" = "own"): { readonly budget: Budget } => ({
  budget: { state, granted: GRANTED, left: { ...GRANTED, ...left } },
});
const returned: Pick<TaskContext, "budget"> = { budget: { state: "returned", granted: GRANTED } };
const costs = (cost: number | null) => ({ total: { ...fresh.total, cost } });
const request = appended(say(1, "api_req_started"));
const completes = (rest?: Grant): TaskEmitted => ({
  type: "task.completed",
  taskId: "t1",
  result: "",
  usage: fresh.total,
  ...(rest !== undefined && { rest }),
});

describe("BUDGET: the remaining budget", () => {
  it.each<[string, StepParts]>([
    ["stays, without a request", { before: has({}), after: has({}) }],
    ["is one request less after one", { before: has({}), after: has({ requests: 4 }), emitted: [request] }],
    [
      "is less by the cost of a request",
      { before: has({}), after: { ...has({ cost: 0.75 }), ...costs(0.25) } },
    ],
    ["may be a debt", { before: has({ cost: 0.5 }), after: { ...has({ cost: -0.5 }), ...costs(1) } }],
    [
      "is none after a request of unknown cost",
      { before: has({}), after: { ...has({ cost: 0 }), ...costs(null) } },
    ],
    ["is nothing without a budget", { before: {}, emitted: [request] }],
  ])("%s", (_, parts) => {
    expect(found(parts)).toBeUndefined();
  });

  it.each<[string, StepParts, string]>([
    [
      "is not less without a request",
      { before: has({}), after: has({ requests: 4 }) },
      "4 of requests are left, expected 5",
    ],
    [
      "is less after a request",
      { before: has({}), after: has({}), emitted: [request] },
      "5 of requests are left, expected 4",
    ],
    [
      "is less by a cost",
      { before: has({}), after: { ...has({}), ...costs(0.25) } },
      "1 of cost are left, expected 0.75",
    ],
    [
      "is none after an unknown cost",
      { before: has({}), after: { ...has({}), ...costs(null) } },
      "1 of cost are left, expected 0",
    ],
    [
      "has the same subtasks",
      { before: has({}), after: has({ tasks: 1 }) },
      "1 of tasks are left, expected 2",
    ],
    ["has the same levels", { before: has({}), after: has({ depth: 0 }) }, "the depth of the tree changed"],
    [
      "is not granted otherwise",
      { before: has({}), after: { budget: { state: "own", granted: {}, left: GRANTED } } },
      "the granted amounts changed",
    ],
    ["does not appear", { before: {}, after: has({}) }, "a budget appeared or was lost"],
    ["is not lost", { before: has({}), after: { budget: null } }, "a budget appeared or was lost"],
    [
      "is not held again once returned",
      { before: returned, after: has({}) },
      "a returned budget is held again",
    ],
  ])("%s", (_, parts, what) => {
    expect(found(parts)).toBe(what);
  });
});

describe("BUDGET: a request is opened", () => {
  it.each<[string, StepParts]>([
    ["without requests", { before: has({ requests: 0 }), after: has({ requests: -1 }), emitted: [request] }],
    [
      "without dollars",
      { before: has({ cost: 0 }), after: has({ cost: 0, requests: 4 }), emitted: [request] },
    ],
    ["after the rest was returned", { before: returned, after: returned, emitted: [request] }],
  ])("never %s", (_, parts) => {
    expect(found(parts)).toBe("a request was opened with a spent budget");
  });
});

describe("BUDGET: a yes at the limit", () => {
  const yes: TaskEvent = { type: "ask.answered", askId: 3, answer: { kind: "yes" }, at: 9 };
  const limited = (event: TaskEvent, left: Grant, after: Grant, from = "idle.limited") =>
    found({
      from,
      to: "streaming.preparing",
      event,
      before: { ...has(left), ask: { id: 3, ask: "auto_approval_max_req_reached" } },
      after: has(after),
      emitted: [request],
    });

  it.each<[string, TaskEvent]>([
    ["of a person", yes],
    ["of a rule", { ...yes, type: "ask.expired", rule: "more" }],
  ])("%s grants the same amounts again", (_, event) => {
    expect(limited(event, { requests: 0, tasks: 1, cost: 0.5 }, { requests: 4 })).toBeUndefined();
    expect(limited(event, { requests: 5, tasks: 0, cost: -1 }, { requests: 4 })).toBeUndefined();
  });

  it("grants nothing where something is left", () => {
    expect(limited(yes, { requests: 1 }, { requests: 4 })).toBe("4 of requests are left, expected 0");
  });

  it.each<[string, TaskEvent, string]>([
    ["another answer", { ...yes, answer: { kind: "no" } }, "idle.limited"],
    ["a yes to another ask", { ...yes, askId: 2 }, "idle.limited"],
    ["a yes elsewhere", yes, "idle.failed"],
    ["another event", { type: "task.cancel", origin: "user", at: 9 }, "idle.limited"],
  ])("and %s grants nothing", (_, event, from) => {
    expect(limited(event, { requests: 0 }, { requests: 4 }, from)).toBe(
      "4 of requests are left, expected -1",
    );
  });

  it("makes a returned budget one of the task's own", () => {
    const parts = {
      from: "idle.limited",
      event: yes,
      before: { ...returned, ask: { id: 3, ask: "auto_approval_max_req_reached" } },
      emitted: [request],
    } as const;
    expect(found({ ...parts, after: has({ requests: 4 }) })).toBeUndefined();
    expect(found({ ...parts, after: has({ requests: 5 }) })).toBe("5 of requests are left, expected 4");
  });
});

describe("BUDGET: a subtask", () => {
  const child = (grant?: Grant): CallIn<"delegated"> => ({
    ...delegated("c1"),
    ...(grant !== undefined && { grant }),
  });
  const starts = (grant: Grant | undefined, after: Grant, before: Grant = {}): string | undefined =>
    found({
      before: has(before),
      after: { ...has(after), turn: turnOf(child(grant)) },
      emitted: [started("subtask:c1")],
    });
  const grant = { requests: 2, tasks: 0, depth: 0, cost: 0.5 };

  it("is deducted from what is left, and itself", () => {
    expect(starts(grant, { requests: 3, tasks: 1, cost: 0.5 })).toBeUndefined();
  });

  it.each<[string, Parameters<typeof starts>, string]>([
    ["without a deduction", [grant, { tasks: 1, cost: 0.5 }], "5 of requests are left, expected 3"],
    ["without itself", [grant, { requests: 3, cost: 0.5 }], "2 of tasks are left, expected 1"],
    ["without a grant", [undefined, { tasks: 1 }], "t1.1 was started without a grant"],
    [
      "without requests",
      [
        { ...grant, requests: 0 },
        { tasks: 1, cost: 0.5 },
      ],
      't1.1 was granted {"requests":0,"tasks":0,"depth":0,"cost":0.5}',
    ],
    [
      "without dollars",
      [
        { ...grant, cost: 0 },
        { requests: 3, tasks: 1 },
      ],
      't1.1 was granted {"requests":2,"tasks":0,"depth":0,"cost":0}',
    ],
    [
      "beyond the subtasks",
      [{ ...grant, tasks: -1 }, { requests: 3, tasks: 1, cost: 0.5 }, { tasks: 1 }],
      't1.1 was granted {"requests":2,"tasks":-1,"depth":0,"cost":0.5}',
    ],
    [
      "with no subtask left",
      [grant, { requests: 3, tasks: -1, cost: 0.5 }, { tasks: 0 }],
      "t1.1 was started with 0 subtasks and 1 levels left",
    ],
    [
      "with no level left",
      [{ ...grant, depth: -1 }, { requests: 3, tasks: 1, cost: 0.5, depth: 0 }, { depth: 0 }],
      "t1.1 was started with 2 subtasks and 0 levels left",
    ],
    [
      "with as many levels",
      [
        { ...grant, depth: 1 },
        { requests: 3, tasks: 1, cost: 0.5 },
      ],
      "t1.1 was granted 1 levels of 1",
    ],
  ])("is not started %s", (_, parts, what) => {
    expect(starts(...parts)).toBe(what);
  });

  const end: SubtaskOutcome = {
    kind: "finished",
    result: "ok",
    rest: { requests: 1, tasks: 0, cost: -0.25 },
  };
  const ended: StepParts = {
    event: { type: "subtask.ended", callId: "c1", end, at: 1 },
    earlier: [started("subtask:c1")],
    before: { ...has({ requests: 2, cost: 0.5 }), turn: turnOf(child(grant)) },
  };
  const isDone = { turn: turnOf(settled("c1")) };

  it("that ends gives its rest back, with its debt", () => {
    expect(found({ ...ended, after: { ...has({ requests: 3, cost: 0.25 }), ...isDone } })).toBeUndefined();
    expect(found({ ...ended, after: { ...has({ requests: 2, cost: 0.5 }), ...isDone } })).toBe(
      "2 of requests are left, expected 3",
    );
  });

  it("that ends again gives nothing back", () => {
    const parts = { ...ended, before: { ...has({}), ...isDone } };
    expect(found({ ...parts, after: has({ requests: 6 }) })).toBe("6 of requests are left, expected 5");
  });

  it("that ended before its task was opened gives its rest back", () => {
    const past = {
      ...pastOf({ ...child(grant), phase: "delegated" }),
      childEnds: new Map([["c1", end]]),
    };
    const parts = { past, before: has({ requests: 2 }) };
    expect(found({ ...parts, after: { ...has({ requests: 3, cost: 0.75 }), ...isDone } })).toBeUndefined();
    expect(found({ ...parts, after: { ...has({ requests: 2 }), ...isDone } })).toBe(
      "2 of requests are left, expected 3",
    );
  });

  it("that is cancelled keeps its grant", () => {
    const cancelled: StepParts = { ...ended, event: { type: "task.cancel", origin: "user", at: 1 } };
    expect(found({ ...cancelled, after: { ...has({ requests: 2, cost: 0.5 }), ...isDone } })).toBeUndefined();
  });
});

describe("BUDGET: a completed task", () => {
  const left = { ...GRANTED, requests: 2 };

  it("returns what is left to its parent", () => {
    const step = { before: has(left, "lent"), after: returned };
    expect(found({ ...step, emitted: [completes(left)] })).toBeUndefined();
    expect(found({ ...step, emitted: [completes(GRANTED)] })).toBe("5 of requests are left, expected 2");
    expect(found({ ...step, emitted: [completes()] })).toBe("undefined of requests are left, expected 2");
  });

  it("keeps nothing of it", () => {
    expect(found({ before: has(left, "lent"), after: has(left, "lent"), emitted: [completes(left)] })).toBe(
      "the budget is lent after a completion",
    );
  });

  it("and no other returns it", () => {
    expect(found({ before: has({}, "lent"), after: returned, emitted: [] })).toBe(
      "undefined of requests are left, expected 5",
    );
  });

  it("of a user keeps it", () => {
    expect(found({ before: has(left), after: has(left), emitted: [completes()] })).toBeUndefined();
    expect(found({ before: has(left), after: has(left), emitted: [completes(left)] })).toBe(
      "a budget that is own was returned",
    );
  });
});
