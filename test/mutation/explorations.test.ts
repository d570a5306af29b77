import { afterEach, describe, expect, it, vi } from "vitest";
import { taskMachine } from "../../machines/task/index.ts";
import {
  ALL_LAWS,
  type CaseOptions,
  type Coverage,
  createCase,
  explore,
  exploreRaces,
  formatRaces,
  soak,
} from "../../verify/index.ts";
import { PATHS } from "../support/paths.ts";
import { explorationOf, FAULTS, withFault } from "../support/seeded-faults.ts";

const taken = ({ states, transitions }: Coverage): string =>
  `${[...states.values()].filter(Boolean).length} leaves, ${[...transitions.values()].filter(Boolean).length} rows`;

function sizeOf(options: CaseOptions): string {
  const found = explore({ machine: taskMachine, laws: ALL_LAWS, ...createCase(options), maxStates: 150 });
  const { states, steps, checked, recoveries, depth, complete, coverage, violations } = found;
  const size = `${states} states, ${steps} steps, ${checked} checked, ${recoveries} recoveries, depth ${depth}`;
  return `${size}, ${complete ? "whole" : "cut"}; ${taken(coverage)}; ${violations.length} violations`;
}

// What is walked is known by its size: a step that is gone or new is seen, and a person reads the change.
describe("a small walk has the size that is written down", () => {
  it("of each tool, once", () => {
    const tools = ["read", "write", "command", "question", "complete", "delegate"];
    expect(sizeOf({ tools })).toMatchInlineSnapshot(
      `"150 states, 1871 steps, 640 checked, 0 recoveries, depth 8, cut; 17 leaves, 47 rows; 0 violations"`,
    );
  });

  it("of thoughts and words, and a call that nobody knows", () => {
    expect(sizeOf({ blocks: 2, thinks: true, tools: [] })).toMatchInlineSnapshot(
      `"136 states, 2323 steps, 744 checked, 0 recoveries, depth 13, whole; 10 leaves, 25 rows; 0 violations"`,
    );
  });

  it("of a message in the queue and a cancel", () => {
    expect(sizeOf({ calls: 0, queued: 1, interruptions: 1, tools: [] })).toMatchInlineSnapshot(
      `"151 states, 1309 steps, 492 checked, 0 recoveries, depth 6, cut; 10 leaves, 33 rows; 0 violations"`,
    );
  });

  it("of a command, a snapshot and an end of the process", () => {
    expect(sizeOf({ crashes: 1, tools: ["command"], checkpoints: true })).toMatchInlineSnapshot(
      `"153 states, 1552 steps, 534 checked, 57 recoveries, depth 7, cut; 13 leaves, 36 rows; 0 violations"`,
    );
  });

  it("of any number of answers, messages, cancels and ends of the process", () => {
    const any = { turns: "any", queued: "any", interruptions: "any", crashes: "any" } as const;
    expect(sizeOf({ ...any, tools: ["delegate"] })).toMatchInlineSnapshot(
      `"152 states, 1597 steps, 706 checked, 83 recoveries, depth 7, cut; 12 leaves, 47 rows; 0 violations"`,
    );
  });

  it("of two events that meet", () => {
    const found = exploreRaces({ machine: taskMachine, laws: ALL_LAWS, ...createCase({ calls: 0 }) });
    const { states, sampled, pairs, races, violations } = found;
    const size = `${states} states, ${sampled} sampled, ${pairs} pairs, ${races.length} kinds of meetings`;
    expect(`${size}; ${violations.length} violations`).toMatchInlineSnapshot(
      `"98 states, 12 sampled, 837 pairs, 297 kinds of meetings; 0 violations"`,
    );
  });

  it("and what two events come to that meet in it is written down, in both orders", async () => {
    const found = exploreRaces({
      machine: taskMachine,
      laws: ALL_LAWS,
      ...createCase({ calls: 0, interruptions: 1, queued: 1 }),
    });
    await expect(formatRaces(found)).toMatchFileSnapshot("races.txt");
  });

  it("of simulated tasks", () => {
    const { steps, crashes, ends, coverage } = soak({ seed: 1, tasks: 20, now: () => 0 });
    const size = `${steps} steps, ${crashes} crashes, ${JSON.stringify(ends)}; ${taken(coverage)}`;
    expect(size).toMatchInlineSnapshot(
      `"840 steps, 5 crashes, {"completed":19,"left":1,"cut":0,"broken":0}; 22 leaves, 65 rows"`,
    );
  });
});

const near = FAULTS.filter(
  ({ name, graphOnly }) => graphOnly !== true && (PATHS.get(name)?.length ?? 9) <= 3,
);

describe("a fault that is near is found", () => {
  afterEach(() => {
    vi.resetModules();
  });

  it.each(near)("by its law, on the shortest way: $name", async (fault) => {
    const laws = ALL_LAWS.filter(({ id }) => id === fault.law);
    const { violations } = explore({ machine: await withFault(fault), laws, ...explorationOf(fault) });
    const way = PATHS.get(fault.name);
    expect(violations[0]).toMatchObject({ law: fault.law, path: way });
    expect(violations.filter(({ path }) => path.length !== way?.length)).toEqual([]);
  });
});
