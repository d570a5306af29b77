import { describe, expect, it } from "vitest";
import { assign } from "xstate";
import { type TaskContext, type TaskEvent, taskMachine } from "../../machines/task/index.ts";
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

/** Somebody's machine: it asks a person after every failure, and after every second request. */
const careful = taskMachine.provide({
  guards: {
    mayRetry: () => false,
    budgetReached: ({ context }) => context.counters.requests >= 2,
  },
});

const opensRequest = ({ emitted }: Parameters<Law["violation"]>[0]): boolean =>
  emitted.some((piece) => piece.type === "message.appended" && piece.message.say === "api_req_started");

/** What they want of it: each law sees where the task was, what happened, what it brought about, and where it is. */
const asksAfterFailure: Law = {
  id: "HOUSE-1",
  title: "no failed request is sent again before a person was asked",
  violation: ({ before, event, after }) =>
    event.type === "llm.failed" && after !== before && !after.state.startsWith("idle")
      ? `after a failure the task is ${after.state}`
      : undefined,
};
const fewRequests: Law = {
  id: "HOUSE-2",
  title: "a third request needs the word of a person, or of a policy in their place",
  violation: (step) =>
    opensRequest(step) && step.before.context.counters.requests >= 2 && !isWord(step.event)
      ? `request ${step.before.context.counters.requests + 1} was opened by ${step.event.type}`
      : undefined,
};
const isWord = ({ type }: TaskEvent): boolean => type === "ask.answered" || type === "ask.expired";
const HOUSE = [asksAfterFailure, fewRequests];

const one = createCase({ turns: 2, calls: 1, tools: ["read"] });

describe("a machine of somebody's own", () => {
  const found = explore({ machine: careful, laws: [...ALL_LAWS, ...HOUSE], ...one });

  it("is explored whole under our laws and its own", () => {
    expect(found.violations.map((violation) => formatTrace(violation, careful, one.input))).toEqual([]);
    expect(found.complete).toBe(true);
  });

  it("has the rows that its guards shut told as not taken, and those that they open as taken", () => {
    const taken = (row: RegExp) =>
      [...found.coverage.transitions].filter(([name]) => row.test(name)).map(([, is]) => is);
    expect(taken(/\bmayRetry\b/)).toEqual([false]);
    expect(taken(/\bbudgetReached\b/)).toEqual([true]);
    expect(found.coverage.states.get("running.retrying")).toBe(false);
  });

  it("is what its own laws are about: the shipped machine breaks both, and a shortest way is found", () => {
    const broken = HOUSE.map((law) => explore({ machine: taskMachine, laws: [law], ...one }).violations[0]);
    expect(broken.map((violation) => violation?.law)).toEqual(["HOUSE-1", "HOUSE-2"]);
    expect(broken[0]?.path.map(({ type }) => type)).toEqual([
      "task.start",
      "task.opened",
      "context.ready",
      "llm.failed",
    ]);
    for (const violation of broken) {
      const path = violation?.path ?? [];
      expect(violationsOn(path, taskMachine, HOUSE, one.input)).toContain(
        `${violation?.law}: ${violation?.what}`,
      );
      expect(violationsOn(path, careful, HOUSE, one.input)).toEqual([]);
    }
  });

  it("is played again event by event, with the states of its own", () => {
    const [violation] = explore({ machine: taskMachine, laws: [asksAfterFailure], ...one }).violations;
    const states = (machine: typeof taskMachine) =>
      replay(violation?.path ?? [], machine, one.input).map((step) =>
        "after" in step ? step.after.state : "threw",
      );
    expect(states(taskMachine).at(-1)).toBe("running.retrying");
    expect(states(careful).at(-1)).toBe("idle.failed");
  });

  it("has its events meet in both orders, under its own laws", () => {
    const matrix = exploreRaces({ machine: careful, laws: HOUSE, ...createCase({ turns: 0, calls: 0 }) });
    expect(matrix.violations).toEqual([]);
    expect(matrix.complete).toBe(true);
    expect(matrix.races.length).toBeGreaterThan(0);
  });
});

describe("an action of somebody's own", () => {
  const limits = { requests: 1, retries: 0, pauses: 0 };
  const input = { limits };

  it("that throws is a violation with what it threw, and the way there", () => {
    const closed = assign<TaskContext, TaskEvent, undefined, TaskEvent, never>(() => {
      throw new RangeError("the ledger is closed");
    });
    const machine = taskMachine.provide({ actions: { askAboutLimit: closed } });
    const [violation] = explore({ machine, laws: ALL_LAWS, bounds: one.bounds, input }).violations;
    expect(violation).toMatchObject({ law: "INVARIANT", what: "RangeError: the ledger is closed" });
    const told = violation === undefined ? "" : formatTrace(violation, machine, input);
    expect(told).toMatch(/\n {2}! RangeError: the ledger is closed$/);
  });

  it("that is a plain function decides nothing, so that it is not run: what it leaves undone is found", () => {
    const calls: string[] = [];
    const machine = taskMachine.provide({ actions: { askAboutLimit: () => calls.push("asked") } });
    const [violation] = explore({ machine, laws: ALL_LAWS, bounds: one.bounds, input }).violations;
    expect(violation).toMatchObject({ law: "L1", what: expect.stringContaining("the machine is idle") });
    expect(calls).toEqual([]);
  });
});
