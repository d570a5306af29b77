import { describe, expect, it } from "vitest";
import { taskMachine } from "../../machines/task/index.ts";
import { ALL_LAWS, brokenOn, explore, type Law, testFileOf } from "../../verify/index.ts";

const bounds = { turns: 1, calls: 0, blocks: 1, queued: 0, interruptions: 0 };

describe("a law of somebody's own", () => {
  it("is held beside ours, and a shortest way to where it breaks is found", () => {
    const noRequests: Law = {
      id: "OWN",
      title: "nothing is asked of a model",
      violation: ({ after }) => (after.context.request === undefined ? undefined : "a request is open"),
    };
    const [violation] = explore({ machine: taskMachine, laws: [...ALL_LAWS, noRequests], bounds }).violations;
    expect(violation).toMatchObject({ law: "OWN", what: "a request is open" });
    expect(violation?.path.map(({ type }) => type)).toEqual(["task.start", "task.opened"]);
  });

  it("is reported as broken when it throws, with the state that it saw", () => {
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
  it("is broken again when its path is played, and whole on the sound machine", () => {
    const machine = taskMachine.provide({ actions: { askAboutFailure: () => {} } });
    const [violation] = explore({ machine, laws: ALL_LAWS, bounds }).violations;
    const path = violation?.path ?? [];
    expect(brokenOn(path, machine, ALL_LAWS)).toContain(`L1: ${violation?.what}`);
    expect(brokenOn(path, taskMachine, ALL_LAWS)).toEqual([]);
  });

  it("as a test file of L13 explores again, for no single path shows it", () => {
    const violation = { law: "L13", title: "", what: "no events lead to idle", path: [] };
    const text = testFileOf(violation, {
      bounds: { ...bounds, thinks: false, tools: [], crashes: 0 },
      input: {},
    });
    expect(text).toContain("explore({ machine: taskMachine, laws: [], bounds:");
  });
});
