import { describe, expect, it } from "vitest";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { RACE_CASE } from "../../verify/cases.ts";
import { ALL_LAWS, createCase, exploreRaces, violationsOn } from "../../verify/index.ts";
import { formatRaces } from "../../verify/race-text.ts";
import { racesText } from "../support/traces.ts";

describe("the race matrix", () => {
  it("holds every law in both orders of every race, and its text is committed", async () => {
    const matrix = exploreRaces({ machine: taskMachine, laws: ALL_LAWS, ...RACE_CASE });
    expect(matrix.violations).toEqual([]);
    expect(matrix.complete).toBe(true);
    await expect(racesText(formatRaces(matrix))).toMatchFileSnapshot("../traces/races.txt");
  });

  it("accepts only the first of two answers to an ask (L8)", () => {
    const { races } = exploreRaces({
      machine: taskMachine,
      laws: [],
      ...createCase({ calls: 1, tools: ["question"] }),
    });
    const answers = races.filter((race) =>
      [race.first, race.second].every((name) => /^ask\.answered \w+$/.test(name)),
    );
    const ends = new Set(answers.map(({ end }) => end));
    expect(answers.length).toBeGreaterThan(0);
    expect([...ends].filter((end) => end !== "same outcome")).toEqual([
      "the first decides, the second comes late",
    ]);
  });

  it("finds a law that is broken in one order only, with its path", () => {
    const careful = {
      id: "OWN",
      title: "no cancel comes after the task was opened",
      violation: ({ before, event }: { before: { state: string }; event: { type: string } }) =>
        event.type === "task.cancel" && before.state === "streaming.preparing" ? "it came after" : undefined,
    };
    const { bounds, input } = createCase({ calls: 0, interruptions: 1 });
    const { violations } = exploreRaces({
      machine: taskMachine,
      laws: [careful],
      bounds,
      input,
      maxStates: 3,
    });
    const [found] = violations;
    expect(found?.path.map(({ type }) => type)).toEqual(["task.start", "task.opened", "task.cancel"]);
    expect(violationsOn(found?.path ?? [], taskMachine, [careful], input)).toEqual(["OWN: it came after"]);
  });
});
