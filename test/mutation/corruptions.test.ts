import { expect, it } from "vitest";
import { taskMachine } from "../../machines/task/index.ts";
import { ALL_LAWS, replay, type Step, simulate } from "../../verify/index.ts";
import { checkLaw } from "../../verify/laws/index.ts";
import { corruptionsOf } from "../support/corruptions.ts";
import { PATHS } from "../support/paths.ts";
import { FAULTS } from "../support/seeded-faults.ts";

/** Macrosteps of the sound machine, one of each kind: on the ways to the faults, and in simulated tasks. */
function steps(): readonly Step[] {
  const found = new Map<string, Step>();
  const lives = [1, 2, 3, 4, 5, 6].map((seed) => simulate({ seed }));
  const paths = [...FAULTS.map(({ name, input }) => ({ path: PATHS.get(name) ?? [], input })), ...lives];
  for (const { path, input } of paths) {
    for (const step of replay(path, taskMachine, input)) {
      if ("error" in step) continue;
      const pieces = step.emitted.map(({ type }) => type).join();
      const kind = `${step.before.state} ${step.pathEvent.type} ${step.after.state} ${pieces}`;
      if (!found.has(kind)) found.set(kind, step);
    }
  }
  return [...found.values()];
}

// A law that says less than it did notices less, and one that says more, more: a person reads the change.
it("each law notices what is written down, of all that can be wrong with a macrostep in one thing", async () => {
  const noticed = new Map<string, { times: number; by: Map<string, number> }>();
  const all = steps();
  for (const step of all) {
    for (const { name, step: corrupt } of corruptionsOf(step)) {
      const line = noticed.get(name) ?? { times: 0, by: new Map() };
      line.times += 1;
      for (const law of ALL_LAWS)
        if (checkLaw(corrupt, law) !== undefined) line.by.set(law.title, (line.by.get(law.title) ?? 0) + 1);
      noticed.set(name, line);
    }
  }
  const lines = [...noticed]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { times, by }]) => {
      const laws = [...ALL_LAWS].filter(({ title }) => by.has(title));
      return `${name}, ${times} times: ${laws.map(({ id, title }) => `${id} ${by.get(title)}`).join(", ") || "nobody"}`;
    });
  await expect(`${all.length} macrosteps\n\n${lines.join("\n")}\n`).toMatchFileSnapshot("corruptions.txt");
});
