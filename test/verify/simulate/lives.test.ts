import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import {
  type Happening,
  NO_FAULTS,
  type SimulateOptions,
  type Simulation,
  simulate,
} from "../../../verify/index.ts";

/** Each kind of fault alone, often enough to come; all together; none. */
const WORLDS: readonly (readonly [string, Omit<SimulateOptions, "seed">])[] = [
  ["as it is", {}],
  ["without a fault", { faults: NO_FAULTS }],
  ...Object.keys(NO_FAULTS).map((fault): readonly [string, Omit<SimulateOptions, "seed">] => [
    fault,
    { faults: { ...NO_FAULTS, [fault]: fault === "crash" || fault === "cancel" ? 0.05 : 0.3 } },
  ]),
  ["late, with all that stops actors", { faults: { late: 0.9, crash: 0.03, cancel: 0.05, toolHangs: 0.3 } }],
  ["cut off", { eventsMax: 30 }],
];

const digest = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 12);

function countsOf(path: readonly Happening[]): string {
  const counts = new Map<string, number>();
  for (const { type } of path) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, count]) => `${type} ${count}`)
    .join(", ");
}

function lineOf({ seed, end, state, steps, crashes, simulatedMs, log, path }: Simulation): string {
  const sum = `${end} in ${state}, ${steps} steps, ${crashes} crashes, ${simulatedMs} ms, ${log.length} rows`;
  return `${seed}: ${sum}, ${digest({ log, path })}\n   ${countsOf(path)}`;
}

// A person reads a change: the world that tasks are simulated in is another one then.
it("the lives of these seeds are those that are written down (L15)", async () => {
  const text = WORLDS.map(([name, options]) => {
    const lives = [1, 2, 3, 4].map((seed) => lineOf(simulate({ ...options, seed })));
    return `${name}\n\n${lives.join("\n")}\n`;
  });
  await expect(text.join("\n")).toMatchFileSnapshot("lives.txt");
});
