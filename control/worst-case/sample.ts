import type { PolicyMode } from "../metrics/run.ts";
import type { Draw } from "./draw.ts";

/** A sampled response: its policy, and the classes of its scores. */
export interface Sample {
  readonly mode: PolicyMode;
  readonly draw: Draw;
}

/** The order of samples whose scores are in one class: the refinement of the classes would decide it. */
export type Ties = "attackFirst" | "honestFirst";

/** The sample that is judged next. */
export function chosenOf(
  samples: readonly Sample[],
  choose: "leastSuspicious" | "newest",
  ties: Ties,
): Sample | undefined {
  if (choose === "newest") return samples.at(-1);
  const first = ties === "attackFirst" ? "attack" : "honest";
  return [...samples].sort(
    (a, b) => suspicion(a) - suspicion(b) || Number(b.mode === first) - Number(a.mode === first),
  )[0];
}

/** The greatest score of a sample. */
const suspicion = ({ draw }: Sample): number => Math.max(0, ...Object.values(draw.high));

export const formatSamples = (samples: readonly Sample[]): string =>
  samples.map(({ mode, draw }) => `${mode} (${draw.name})`).join(", ");
