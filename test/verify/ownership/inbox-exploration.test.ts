import { describe, expect, it } from "vitest";
import { exploreInbox, type InboxExplorationOptions } from "../../../verify/ownership/inbox-exploration.ts";

/** Worlds of a larger exploration, by the number of their steps: breadth first. */
const FIRST_WORLDS = 10_000;

const WHOLE: readonly (readonly [name: string, bounds: InboxExplorationOptions])[] = [
  ["no faults", {}],
  ["a task that keeps its owner", { isBusy: true }],
  ["a worker that is killed", { faults: { kills: 1 } }],
  ["an answer that is lost", { faults: { cuts: 1 } }],
  ["notifications that are lost", { isBusy: true, faults: { gaps: 1 } }],
  ["a wake, a notification or a put that comes twice", { faults: { duplicates: 1 } }],
];

const THREE: readonly (readonly [name: string, bounds: InboxExplorationOptions])[] = [
  ["no faults", {}],
  ["an answer that is lost", { faults: { cuts: 1 } }],
  ["notifications that are lost", { isBusy: true, faults: { gaps: 1 } }],
];

const BEGUN: readonly (readonly [name: string, bounds: InboxExplorationOptions])[] = [
  ["a takeover from a worker that lives, and one from a killed one", { faults: { kills: 1, losses: 1 } }],
  ["a kill, and a put that is repeated", { faults: { kills: 1, duplicates: 1 } }],
  ["one of each fault", { isBusy: true, faults: { kills: 1, losses: 1, cuts: 1, gaps: 1, duplicates: 1 } }],
];

describe("workers take the commands of one task by the laws of inboxes", () => {
  it.each(WHOLE)("in every world of two workers with %s", (_, bounds) => {
    const { violation, isComplete, states, steps } = exploreInbox(bounds);
    expect(violation).toBeUndefined();
    expect({ isComplete, states, steps }).toMatchSnapshot();
  });

  it.each(THREE)("in every world of three workers with %s", (_, bounds) => {
    const { violation, isComplete } = exploreInbox({ workers: 3, ...bounds });
    expect(violation).toBeUndefined();
    expect(isComplete).toBe(true);
  });

  it.each(BEGUN)(`in the first ${FIRST_WORLDS} worlds of two workers with %s`, (_, bounds) => {
    const { violation, states } = exploreInbox({ ...bounds, maxStates: FIRST_WORLDS });
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThanOrEqual(FIRST_WORLDS);
  });
});
