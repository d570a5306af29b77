import { describe, expect, it } from "vitest";
import { assign } from "xstate";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { ALL_LAWS, type ExploreOptions, explore, type Law } from "../../verify/index.ts";
import type { PathMemory } from "../../verify/laws/law.ts";

const bounds = { turns: 1, calls: 0, blocks: 1, queued: 0, interruptions: 0 } as const;
const walk = (options: Partial<ExploreOptions> = {}) =>
  explore({ machine: taskMachine, laws: ALL_LAWS, bounds, ...options });

/** Broken wherever the task settles. */
const neverSettles: Law = {
  id: "HOUSE-1",
  title: "a task never settles",
  violation: ({ after }) => (after.state.startsWith("idle") ? `it settles in ${after.state}` : undefined),
};

describe("an exploration", () => {
  it("counts its states by the state of the machine", () => {
    const { visited, states, coverage } = walk();
    expect([...visited.values()].reduce((sum, count) => sum + count, 0)).toBe(states);
    const entered = [...coverage.states].flatMap(([state, isEntered]) => (isEntered ? [state] : []));
    expect(entered).toEqual(
      expect.arrayContaining([...visited.keys()].filter((state) => state !== "no_task")),
    );
  });

  it("ends with the state of the first violation, or after `maxViolations`", () => {
    const one = walk({ laws: [neverSettles] });
    expect(one.violations[0]).toMatchObject({ law: "HOUSE-1", title: "a task never settles" });
    expect(one.violations[0]?.what).toMatch(/^it settles in idle\./);
    const more = walk({ laws: [neverSettles], maxViolations: one.violations.length + 1 });
    expect(more.violations.length).toBeGreaterThan(one.violations.length);
    expect(more.states).toBeGreaterThan(one.states);
    expect(more.violations.slice(0, one.violations.length)).toEqual(one.violations);
    const lengths = more.violations.map(({ path }) => path.length);
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
  });

  it("reports progress after every 100 states", () => {
    const reports: unknown[] = [];
    const wide = { ...bounds, calls: 1 };
    const { states, complete } = walk({ bounds: wide, onProgress: (at) => reports.push(at) });
    // A complete exploration leaves each of its states.
    expect({ complete, reports: reports.length }).toEqual({
      complete: true,
      reports: Math.floor(states / 100),
    });
    expect(reports.length).toBeGreaterThan(1);
    for (const at of reports)
      expect(at).toEqual({
        states: expect.any(Number),
        steps: expect.any(Number),
        depth: expect.any(Number),
      });
  });

  it("reports each state before its events are explored, with the shortest path to it", () => {
    const reports: string[] = [];
    walk({
      maxStates: 3,
      onState: ({ view, path }) =>
        reports.push(
          `${view.state}: ${path()
            .map(({ type }) => type)
            .join(" ")}`,
        ),
    });
    expect(reports.slice(0, 2)).toEqual(["no_task: ", "running.starting: task.start"]);
  });

  it("is complete unless it was cut off", () => {
    expect(walk().complete).toBe(true);
    expect(walk({ maxStates: 5 })).toMatchObject({ complete: false, violations: [] });
  });

  it("reports a machine that throws, with the path to the exception", () => {
    const machine = taskMachine.provide({
      actions: {
        askAboutFailure: assign<TaskContext, TaskEvent, undefined, TaskEvent, never>(() => {
          throw new Error("oh");
        }),
      },
    });
    const [violation] = walk({ machine }).violations;
    expect(violation).toMatchObject({
      law: "INVARIANT",
      title: "the machine throws nothing",
      what: expect.stringContaining("oh"),
    });
    expect(violation?.path.map(({ type }) => type)).toEqual(["task.start", "task.opened", "context.failed"]);
  });

  it("finds a dead end in the complete graph, unless `progress` is false (L13)", () => {
    const machine = taskMachine.provide({ guards: { isYesOrText: () => false } });
    const cancels = { ...bounds, blocks: 0, interruptions: 1 };
    const [violation, ...others] = walk({ machine, laws: [], bounds: cancels }).violations;
    expect(violation).toMatchObject({ law: "L13", what: "no events lead from resumable to idle" });
    expect(violation?.path.map(({ type }) => type)).toEqual(["task.start", "task.cancel"]);
    expect(others).toEqual([]);
    expect(walk({ machine, laws: [], bounds: cancels, progress: false }).violations).toEqual([]);
    const broken = walk({ machine, laws: [neverSettles], bounds: { ...cancels, blocks: 1 } });
    expect(broken.violations.map(({ law }) => law)).not.toContain("L13");
  });
});

describe("a law of paths", () => {
  /** Counts requests up to one too many. */
  const requests = (count: number, keyOf: (count: number) => string): PathMemory => ({
    key: keyOf(count),
    after: ({ after, before }) => {
      const isMore = after.state === "streaming.preparing" && before.state !== after.state;
      const now = count + (isMore ? 1 : 0);
      const violation = now > MOST ? `${now} requests` : undefined;
      return { memory: requests(Math.min(now, MOST), keyOf), violation };
    },
  });
  const MOST = 8;
  const input = { limits: { retries: 1 } };
  const lawOf = (keyOf: (count: number) => string) => [
    { id: "HOUSE-2", title: "at most eight requests", start: requests(0, keyOf) },
  ];

  it("keeps states apart in which it remembers other things, and its violation has a shortest path", () => {
    const [violation] = walk({ input, pathLaws: lawOf(String) }).violations;
    expect(violation).toMatchObject({
      law: "HOUSE-2",
      title: "at most eight requests",
      what: "9 requests",
    });
    expect(
      violation?.path.filter(({ type }) => type === "context.ready" || type === "context.failed"),
    ).toHaveLength(8);
    expect(walk({ input, pathLaws: lawOf(() => "the same") }).violations).toEqual([]);
  });

  it("that throws is violated", () => {
    const start: PathMemory = {
      key: "",
      after: () => {
        throw new Error("no");
      },
    };
    const [violation] = walk({ pathLaws: [{ id: "HOUSE-3", title: "throws", start }] }).violations;
    expect(violation?.law).toBe("HOUSE-3");
    expect(violation?.what).toMatch(/^the law threw Error: no at no_task, /);
  });
});
