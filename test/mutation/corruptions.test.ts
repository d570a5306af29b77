import { expect, it } from "vitest";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { ALL_LAWS, replay, type Step, simulate } from "../../verify/index.ts";
import { checkLaw } from "../../verify/laws/law.ts";
import { corruptionsOf } from "../support/corruptions.ts";
import { PATHS } from "../support/paths.ts";
import { FAULTS } from "../support/seeded-faults.ts";

/** One macrostep of each kind, from the paths to the seeded faults and from simulated tasks. */
function steps(): readonly Step[] {
  const found = new Map<string, Step>();
  const simulated = [1, 2, 3, 4, 5, 6].map((seed) => simulate({ seed }));
  const paths = [...FAULTS.map(({ name, input }) => ({ path: PATHS.get(name) ?? [], input })), ...simulated];
  for (const { path, input } of paths) {
    for (const step of replay(path, taskMachine, input)) {
      if ("error" in step) continue;
      const emitted = step.emitted.map(({ type }) => type).join();
      const kind = `${step.before.state} ${step.pathEvent.type} ${step.after.state} ${emitted}`;
      if (!found.has(kind)) found.set(kind, step);
    }
  }
  return [...found.values()];
}

// A weaker law detects fewer corruptions: read the change.
it("each law detects the committed corruptions of macrosteps", async () => {
  const detected = new Map<string, { times: number; by: Map<string, number> }>();
  const all = steps();
  for (const step of all) {
    for (const { name, step: corrupt } of corruptionsOf(step)) {
      const line = detected.get(name) ?? { times: 0, by: new Map() };
      line.times += 1;
      for (const law of ALL_LAWS)
        if (checkLaw(corrupt, law) !== undefined) line.by.set(law.title, (line.by.get(law.title) ?? 0) + 1);
      detected.set(name, line);
    }
  }
  const lines = [...detected]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { times, by }]) => {
      const laws = [...ALL_LAWS].filter(({ title }) => by.has(title));
      return `${name}, ${times} times: ${laws.map(({ id, title }) => `${id} ${by.get(title)}`).join(", ") || "undetected"}`;
    });
  await expect(`${all.length} macrosteps\n\n${lines.join("\n")}\n`).toMatchFileSnapshot("corruptions.txt");
});
