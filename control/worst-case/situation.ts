import type { Json } from "../../machines/tool-call/control.ts";
import { formatSamples, type Sample } from "./sample.ts";

/** A situation in which the untrusted policy samples further responses. */
export interface Sampling {
  readonly state: Json;
  /** The samples at this decision so far. */
  readonly samples: readonly Sample[];
  /** Number of further samples. */
  readonly k: number;
  readonly choose: "leastSuspicious" | "newest";
}

/** The situation in which a decision begins. */
export const beginning = (state: Json): Sampling => ({ state, samples: [], k: 1, choose: "newest" });

/** The name of a situation: the state of the protocol, and the samples so far. */
export function nameOf({ state, samples, k, choose }: Sampling): string {
  const now = JSON.stringify(state);
  return samples.length === 0 ? now : `${now} after ${formatSamples(samples)}: ${k} more, ${choose}`;
}
