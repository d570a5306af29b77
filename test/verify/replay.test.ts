import { describe, expect, it } from "vitest";
import { assign } from "xstate";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { ALL_LAWS, explore, formatTestFile, type Law, violationsOn } from "../../verify/index.ts";

const bounds = { turns: 1, calls: 0, blocks: 1, queued: 0, interruptions: 0 };

describe("a custom law", () => {
  it("is checked with the shipped laws, and a shortest path to its violation is found", () => {
    const noRequests: Law = {
      id: "OWN",
      title: "nothing is asked of a model",
      violation: ({ after }) => (after.context.request === undefined ? undefined : "a request is open"),
    };
    const [violation] = explore({ machine: taskMachine, laws: [...ALL_LAWS, noRequests], bounds }).violations;
    expect(violation).toMatchObject({ law: "OWN", what: "a request is open" });
    expect(violation?.path.map(({ type }) => type)).toEqual(["task.start", "task.opened"]);
  });

  it("is reported as broken when it throws, with the state", () => {
    const careless: Law = {
      id: "OWN",
      title: "the law is sound",
      violation: ({ after }) => {
        if (after.state === "streaming.preparing") throw new TypeError("nothing there");
        return undefined;
      },
    };
    const [violation] = explore({ machine: taskMachine, laws: [careless], bounds }).violations;
    expect(violation).toMatchObject({
      law: "OWN",
      what: "the law threw TypeError: nothing there at running.starting, task.opened -> streaming.preparing",
    });
  });
});

describe("a counterexample", () => {
  it("is reproduced by its path, but not on the correct machine", () => {
    const machine = taskMachine.provide({ actions: { askAboutFailure: () => {} } });
    const [violation] = explore({ machine, laws: ALL_LAWS, bounds }).violations;
    const path = violation?.path ?? [];
    expect(violationsOn(path, machine, ALL_LAWS)).toContain(`L1: ${violation?.what}`);
    expect(violationsOn(path, taskMachine, ALL_LAWS)).toEqual([]);
  });

  it("of a machine that throws ends there; later events are not played", () => {
    const failing = assign<TaskContext, TaskEvent, undefined, TaskEvent, never>(() => {
      throw new RangeError("no ask is left");
    });
    const machine = taskMachine.provide({ actions: { askAboutFailure: failing } });
    const path = [
      { type: "task.start", at: 1, text: "go", images: [] },
      { type: "task.opened", at: 2 },
      { type: "context.failed", at: 3, requestId: 2, message: "no context" },
      { type: "task.cancel", origin: "user", at: 4 },
    ] as const;
    const silent: Law = {
      id: "OWN",
      title: "no task is cancelled",
      violation: ({ event }) => noCancel(event.type),
    };
    const noCancel = (type: string) => (type === "task.cancel" ? "the task was cancelled" : undefined);
    expect(violationsOn(path, machine, [silent])).toEqual(["INVARIANT: RangeError: no ask is left"]);
    expect(violationsOn(path, taskMachine, [silent])).toEqual(["OWN: the task was cancelled"]);
  });

  it("with a crash is replayed", () => {
    const reopened: Law = {
      id: "OWN",
      title: "no task is reopened",
      violation: ({ reopened }) => (reopened === undefined ? undefined : "the task was reopened"),
    };
    const [violation] = explore({
      machine: taskMachine,
      laws: [reopened],
      bounds: { ...bounds, crashes: 1 },
    }).violations;
    const path = violation?.path ?? [];
    expect(path.at(-1)?.type).toBe("process.crashed");
    expect(violationsOn(path, taskMachine, [reopened])).toEqual(["OWN: the task was reopened"]);
  });

  it("of L13 is reproduced by an exploration, because no single path shows it", () => {
    const violation = { law: "L13", title: "", what: "no events lead to idle", path: [] };
    const text = formatTestFile(violation, {
      bounds: {
        ...bounds,
        thinks: false,
        opaque: false,
        condenses: false,
        images: false,
        repeats: false,
        selects: false,
        permits: false,
        profiles: false,
        amends: false,
        elicits: false,
        hooks: false,
        pausing: false,
        wakes: false,
        tools: [],
        crashes: 0,
      },
      input: {},
    });
    expect(text).toContain("explore({ machine: taskMachine, laws: [], bounds:");
  });
});
