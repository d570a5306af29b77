import { afterEach, describe, expect, it, vi } from "vitest";
import { taskMachine } from "../../machines/task/task.machine.ts";
import type { Coverage } from "../../verify/coverage.ts";
import { ALL_LAWS, type CaseOptions, createCase, explore, exploreRaces, soak } from "../../verify/index.ts";
import { formatRaces } from "../../verify/race-text.ts";
import { PATHS } from "../support/paths.ts";
import { explorationOf, FAULTS, withFault } from "../support/seeded-faults.ts";
import { wrapLines } from "../support/summary.ts";

const formatCoverage = ({ states, transitions }: Coverage): string =>
  `${[...states.values()].filter(Boolean).length} states, ${[...transitions.values()].filter(Boolean).length} transitions`;

function sizeOf(options: CaseOptions, maxStates = 150): string {
  const found = explore({ machine: taskMachine, laws: ALL_LAWS, ...createCase(options), maxStates });
  const { states, steps, checked, recoveries, depth, complete, coverage, violations } = found;
  const size = `${states} states, ${steps} steps, ${checked} checked, ${recoveries} recoveries, depth ${depth}`;
  return `${size}, ${complete ? "complete" : "cut"}; ${formatCoverage(coverage)}; ${violations.length} violations`;
}

// An exploration with a missing or an added step has another size: read the change.
describe("a small exploration has the committed size", () => {
  it("with each tool once", () => {
    const tools = ["read", "write", "command", "question", "complete", "delegate"];
    expect(sizeOf({ tools })).toMatchInlineSnapshot(
      `"150 states, 1852 steps, 533 checked, 0 recoveries, depth 8, cut; 17 states, 51 transitions; 0 violations"`,
    );
  });

  it("with thinking, text and a call of an unknown tool", () => {
    expect(sizeOf({ blocks: 2, thinks: true, tools: [] }, 200)).toMatchInlineSnapshot(
      `"174 states, 2999 steps, 799 checked, 0 recoveries, depth 13, complete; 10 states, 27 transitions; 0 violations"`,
    );
  });

  it("with a queued message and a cancel", () => {
    expect(sizeOf({ calls: 0, queued: 1, interruptions: 1, tools: [] })).toMatchInlineSnapshot(
      `"151 states, 1321 steps, 432 checked, 0 recoveries, depth 6, cut; 11 states, 34 transitions; 0 violations"`,
    );
  });

  it("with a command, a snapshot and a crash", () => {
    expect(sizeOf({ crashes: 1, tools: ["command"], checkpoints: true })).toMatchInlineSnapshot(
      `"153 states, 1556 steps, 447 checked, 57 recoveries, depth 7, cut; 13 states, 37 transitions; 0 violations"`,
    );
  });

  it("with any number of turns, queued messages, cancels and crashes", () => {
    const any = { turns: "any", queued: "any", interruptions: "any", crashes: "any" } as const;
    expect(sizeOf({ ...any, tools: ["delegate"] })).toMatchInlineSnapshot(
      `"152 states, 1599 steps, 632 checked, 83 recoveries, depth 7, cut; 13 states, 48 transitions; 0 violations"`,
    );
  });

  it("with races of two events", () => {
    const found = exploreRaces({ machine: taskMachine, laws: ALL_LAWS, ...createCase({ calls: 0 }) });
    const { states, sampled, pairs, races, violations } = found;
    const size = `${states} states, ${sampled} sampled, ${pairs} pairs, ${races.length} races`;
    expect(`${size}; ${violations.length} violations`).toMatchInlineSnapshot(
      `"98 states, 13 sampled, 745 pairs, 284 races; 0 violations"`,
    );
  });

  it("has the committed race matrix", async () => {
    const found = exploreRaces({
      machine: taskMachine,
      laws: ALL_LAWS,
      ...createCase({ calls: 0, interruptions: 1, queued: 1 }),
    });
    await expect(wrapLines(formatRaces(found))).toMatchFileSnapshot("races.txt");
  });

  it("with simulated tasks", () => {
    const { steps, crashes, ends, coverage } = soak({ seed: 1, tasks: 20, now: () => 0 });
    const size = `${steps} steps, ${crashes} crashes, ${JSON.stringify(ends)}; ${formatCoverage(coverage)}`;
    expect(size).toMatchInlineSnapshot(
      `"687 steps, 4 crashes, {"completed":19,"left":1,"cut":0,"broken":0}; 22 states, 64 transitions"`,
    );
  });
});

const near = FAULTS.filter(
  ({ name, graphOnly }) => graphOnly !== true && (PATHS.get(name)?.length ?? 9) <= 3,
);

describe("a fault within three events", () => {
  afterEach(() => {
    vi.resetModules();
  });

  it.each(near)("is detected by its law on the shortest path: $name", async (fault) => {
    const laws = ALL_LAWS.filter(({ id }) => id === fault.law);
    const { violations } = explore({ machine: await withFault(fault), laws, ...explorationOf(fault) });
    const path = PATHS.get(fault.name);
    expect(violations[0]).toMatchObject({ law: fault.law, path });
    expect(violations.filter((violation) => violation.path.length !== path?.length)).toEqual([]);
  });
});
