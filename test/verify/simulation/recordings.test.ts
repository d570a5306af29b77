import { expect, it } from "vitest";
import { NO_FAULTS, type SimulateOptions, type Simulation, simulate } from "../../../verify/index.ts";
import { countsOf, digest, wrapLines } from "../../support/summary.ts";

/** The default faults, none, each kind alone, and combinations. */
const OPTIONS: readonly (readonly [string, Omit<SimulateOptions, "seed">])[] = [
  ["as it is", {}],
  ["without a fault", { faults: NO_FAULTS }],
  ...Object.keys(NO_FAULTS).map((fault): readonly [string, Omit<SimulateOptions, "seed">] => [
    fault,
    { faults: { ...NO_FAULTS, [fault]: fault === "crash" || fault === "cancel" ? 0.05 : 0.3 } },
  ]),
  ["late, with all that stops actors", { faults: { late: 0.9, crash: 0.03, cancel: 0.05, toolHangs: 0.3 } }],
  ["cut off", { eventsMax: 30 }],
];

function lineOf({ seed, end, state, steps, crashes, simulatedMs, log, path }: Simulation): string {
  const sum = `${end} in ${state}, ${steps} steps, ${crashes} crashes, ${simulatedMs} ms, ${log.length} messages`;
  const counts = [...countsOf(path)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, count]) => `${type} ${count}`);
  return `${seed}: ${sum}, ${digest({ log, path }, 12)}\n   ${counts.join(", ")}`;
}

// Review a change: the simulated environment has changed.
it("the simulations of these seeds are the committed ones (L15)", async () => {
  const text = OPTIONS.map(([name, options]) => {
    const lines = [1, 2, 3, 4].map((seed) => lineOf(simulate({ ...options, seed })));
    return `${name}\n\n${lines.join("\n")}\n`;
  });
  await expect(wrapLines(text.join("\n"))).toMatchFileSnapshot("recordings.txt");
});
