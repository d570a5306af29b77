import type { Bounds, Spent } from "./bounds.ts";
import type { Situation } from "./features/feature.ts";
import { FEATURES } from "./features/features.ts";
import type { View } from "./laws/law.ts";

/** The parts of the abstract state, by their names: the state, the parts of each feature, and the active actors. */
const PARTS: readonly (readonly [name: string, part: (situation: Situation) => unknown])[] = [
  ["state", ({ view }) => view.state],
  ...FEATURES.flatMap(({ parts = {} }) => Object.entries(parts)),
  ["actors", ({ view }) => [...view.activeActors].map((id) => id.split(":")[0])],
];

/**
 * The abstract state of a view: two views with the same abstraction count as one state. Texts are reduced to
 * empty or not, counters are cut where they stop to matter; of the log the last message counts, of the conversation
 * the last entry, of an ended call what its turn still reads. Times, ids and bounds of "any" are left out.
 */
export function abstractionOf(view: View, spent: Spent, bounds: Bounds): string {
  const situation = { view, spent, bounds };
  return JSON.stringify(PARTS.map(([, part]) => part(situation)));
}

/** Names of the parts in which two abstractions differ. */
export function differsIn(one: string, other: string): readonly string[] {
  if (one === other) return [];
  const [a, b] = [one, other].map((text): readonly unknown[] => JSON.parse(text));
  return PARTS.flatMap(([name], at) => (JSON.stringify(a?.[at]) === JSON.stringify(b?.[at]) ? [] : name));
}
