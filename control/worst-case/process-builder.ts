import { ControlError } from "../error.ts";
import type { PolicyMode } from "../metrics/run.ts";
import type { Protocol } from "../protocol.ts";
import { DecisionWalk } from "./decision-walk.ts";
import { DECISIONS_MAX } from "./judging.ts";
import type { MeasuredScores } from "./measured-scores.ts";
import { type Model, modelOf } from "./model.ts";
import { type Choice, ENDS, type Process, type ProcessNode } from "./process.ts";
import { chosenOf, type Sample, type Ties } from "./sample.ts";
import { beginning, nameOf, type Sampling } from "./situation.ts";

export interface ProcessOptions {
  /** The measured scores of the monitors. */
  readonly scores: MeasuredScores;
  /** Decisions of a run: responses with one call each. */
  readonly length: number;
  /** Further cuts of the scores of each monitor, beside the thresholds. Default 0. */
  readonly refine?: number;
}

/** Maximum nodes of a process. */
const NODES_MAX = 100_000;
/** Maximum samples at one decision. */
const SAMPLES_MAX = 12;

/** The process of a protocol. @throws ControlError if the scores, the length or the protocol do not allow it */
export const processOf = (protocol: Protocol, options: ProcessOptions, ties: Ties): Process =>
  new ProcessBuilder(protocol, options, ties).build(protocol);

class ProcessBuilder {
  readonly #length: number;
  readonly #ties: Ties;
  readonly #model: Model;
  readonly #ids = new Map<string, number>();
  readonly #nodes: ProcessNode[] = ENDS.map((name) => ({ name, samples: 0, choices: [] }));
  /** The situations whose choices are to be found, by their decisions. */
  readonly #open: { readonly id: number; readonly at: Sampling }[][];

  constructor(protocol: Protocol, { scores, length, refine = 0 }: ProcessOptions, ties: Ties) {
    if (!Number.isSafeInteger(length) || length < 1)
      throw new ControlError(
        "MEASUREMENT_INVALID",
        `Expected a run of at least one decision, got the length ${length}. Pass a whole number.`,
      );
    this.#model = modelOf(protocol, scores, refine);
    this.#length = length;
    this.#ties = ties;
    this.#open = Array.from({ length }, () => []);
  }

  build({ state }: Protocol): Process {
    this.#nodeOf(beginning(state), 0);
    // The situations of further samples are added while the loop runs.
    for (const [depth, open] of this.#open.entries())
      for (const { id, at } of open)
        this.#nodes[id] = {
          name: nameOf(at),
          samples: at.samples.length,
          choices: this.#choicesAt(at, depth),
        };
    return { length: this.#length, nodes: this.#nodes, classes: this.#model.classes };
  }

  /** The node of a situation at a decision, counted from 0. A decision after the last one has no choices. */
  #nodeOf(at: Sampling, depth: number): number {
    const name = nameOf(at);
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const id = this.#nodes.length;
    if (at.samples.length + at.k > SAMPLES_MAX) throw tooMany(`over ${SAMPLES_MAX} samples at one decision`);
    if (id >= NODES_MAX) throw tooMany(`over ${NODES_MAX} nodes`);
    this.#ids.set(name, id);
    this.#nodes.push({ name, samples: at.samples.length, choices: [] });
    this.#open[depth]?.push({ id, at });
    return id;
  }

  #choicesAt({ state, samples, k, choose }: Sampling, depth: number): readonly Choice[] {
    const draws = this.#model.draws.response;
    const ways = (draws.honest.length + draws.attack.length) ** k;
    if (ways > DECISIONS_MAX) throw tooMany(`${ways} draws of ${k} samples`);
    return modesOf(k).map((modes) => {
      const walk = new DecisionWalk(this.#model, {
        next: (after) => this.#nodeOf(beginning(after), depth + 1),
        more: (sampling) => this.#nodeOf(sampling, depth),
      });
      for (const { added, probability } of this.#drawn(modes)) {
        const all = [...samples, ...added];
        const chosen = chosenOf(all, choose, this.#ties);
        if (chosen !== undefined) walk.response(probability, state, all, chosen);
      }
      return { action: formatModes(modes), branches: walk.branches.all };
    });
  }

  /** All draws of further samples with these policies. */
  #drawn(modes: readonly PolicyMode[]): readonly Drawn[] {
    return modes.reduce<readonly Drawn[]>(
      (all, mode) =>
        all.flatMap(({ added, probability }) =>
          this.#model.draws.response[mode].map((draw) => ({
            added: [...added, { mode, draw }],
            probability: probability * draw.probability,
          })),
        ),
      [{ added: [], probability: 1 }],
    );
  }
}

const tooMany = (found: string): ControlError =>
  new ControlError(
    "PROCESS_LIMIT",
    `Expected a process within the limits, got ${found}. Shorten the run, or use fewer classes or samples.`,
  );

interface Drawn {
  readonly added: readonly Sample[];
  readonly probability: number;
}

/** The policies of k samples: each honest or an attack. All honest is the first. */
const modesOf = (k: number): readonly (readonly PolicyMode[])[] =>
  Array.from({ length: k }).reduce<readonly (readonly PolicyMode[])[]>(
    (all) => all.flatMap((modes) => [[...modes, "honest"] as const, [...modes, "attack"] as const]),
    [[]],
  );

/** `honest` if all are, else each policy. */
const formatModes = (modes: readonly PolicyMode[]): string =>
  modes.every((mode) => mode === "honest") ? "honest" : modes.join(" ");
