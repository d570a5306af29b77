import { describe, expect, it } from "vitest";
import { assign } from "xstate";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import {
  ALL_LAWS,
  createCase,
  explore,
  exploreRaces,
  formatTrace,
  type Law,
  replay,
  violationsOn,
} from "../../verify/index.ts";

/** A custom machine: it asks the user after every failure and every second request. */
const careful = taskMachine.provide({
  guards: {
    mayRetry: () => false,
    budgetReached: ({ context }) => context.counters.requests >= 2,
  },
});

const opensRequest = ({ emitted }: Parameters<Law["violation"]>[0]): boolean =>
  emitted.some((event) => event.type === "message.appended" && event.message.say === "api_req_started");

/** Its laws. Each one gets the view before, the event, the emitted events, and the view after. */
const asksAfterFailure: Law = {
  id: "HOUSE-1",
  title: "no failed request is sent again before the user was asked",
  violation: ({ before, event, after }) =>
    event.type === "llm.failed" && after !== before && !after.state.startsWith("idle")
      ? `after a failure the task is ${after.state}`
      : undefined,
};
const fewRequests: Law = {
  id: "HOUSE-2",
  title: "a third request needs the answer of the user or a policy",
  violation: (step) =>
    opensRequest(step) && step.before.context.counters.requests >= 2 && !isAnswer(step.event)
      ? `request ${step.before.context.counters.requests + 1} was opened by ${step.event.type}`
      : undefined,
};
const isAnswer = ({ type }: TaskEvent): boolean => type === "ask.answered" || type === "ask.expired";
const LAWS = [asksAfterFailure, fewRequests];

const one = createCase({ turns: 2, calls: 1, tools: ["read"] });

describe("a custom machine", () => {
  const found = explore({ machine: careful, laws: [...ALL_LAWS, ...LAWS], ...one });

  it("is explored completely under the shipped laws and its own", () => {
    expect(found.violations.map((violation) => formatTrace(violation, careful, one.input))).toEqual([]);
    expect(found.complete).toBe(true);
  });

  it("reports transitions that its guards block as not taken, and those they allow as taken", () => {
    const taken = (message: RegExp) =>
      [...found.coverage.transitions].filter(([name]) => message.test(name)).map(([, times]) => times > 0);
    expect(taken(/\bmayRetry\b/)).toEqual([false, false]);
    expect(taken(/\bbudgetReached\b/)).toEqual([true]);
    expect(found.coverage.states.get("running.retrying")).toBe(false);
  });

  it("satisfies its own laws; the shipped machine breaks both, with a shortest path", () => {
    const broken = LAWS.map((law) => explore({ machine: taskMachine, laws: [law], ...one }).violations[0]);
    expect(broken.map((violation) => violation?.law)).toEqual(["HOUSE-1", "HOUSE-2"]);
    expect(broken[0]?.path.map(({ type }) => type)).toEqual([
      "task.start",
      "task.opened",
      "context.ready",
      "llm.failed",
    ]);
    for (const violation of broken) {
      const path = violation?.path ?? [];
      expect(violationsOn(path, taskMachine, LAWS, one.input)).toContain(
        `${violation?.law}: ${violation?.what}`,
      );
      expect(violationsOn(path, careful, LAWS, one.input)).toEqual([]);
    }
  });

  it("is replayed event by event, with its own states", () => {
    const [violation] = explore({ machine: taskMachine, laws: [asksAfterFailure], ...one }).violations;
    const states = (machine: typeof taskMachine) =>
      replay(violation?.path ?? [], machine, one.input).map((step) =>
        "after" in step ? step.after.state : "threw",
      );
    expect(states(taskMachine).at(-1)).toBe("running.retrying");
    expect(states(careful).at(-1)).toBe("idle.failed");
  });

  it("has its races explored in both orders, under its own laws", () => {
    const matrix = exploreRaces({ machine: careful, laws: LAWS, ...createCase({ turns: 0, calls: 0 }) });
    expect(matrix.violations).toEqual([]);
    expect(matrix.complete).toBe(true);
    expect(matrix.races.length).toBeGreaterThan(0);
  });
});

describe("a custom action", () => {
  const limits = { requests: 1, retries: 0, pauses: 0 };
  const input = { limits };

  it("that throws is a violation with the error and the path", () => {
    const closed = assign<TaskContext, TaskEvent, undefined, TaskEvent, never>(() => {
      throw new RangeError("the ledger is closed");
    });
    const machine = taskMachine.provide({ actions: { askAboutLimit: closed } });
    const [violation] = explore({ machine, laws: ALL_LAWS, bounds: one.bounds, input }).violations;
    expect(violation).toMatchObject({ law: "INVARIANT", what: "RangeError: the ledger is closed" });
    const reports = violation === undefined ? "" : formatTrace(violation, machine, input);
    expect(reports).toMatch(/\n {2}! RangeError: the ledger is closed$/);
  });

  it("that is a plain function is not run; the law that it leaves unsatisfied is reported", () => {
    const calls: string[] = [];
    const machine = taskMachine.provide({ actions: { askAboutLimit: () => calls.push("asked") } });
    const [violation] = explore({ machine, laws: ALL_LAWS, bounds: one.bounds, input }).violations;
    expect(violation).toMatchObject({ law: "L1", what: expect.stringContaining("the machine is idle") });
    expect(calls).toEqual([]);
  });
});
