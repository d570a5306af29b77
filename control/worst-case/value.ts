import type { Branch, Choice, Process } from "./process.ts";

/** The values of the nodes of a process, and the choices that reach them, by the decisions that remain. */
export interface Values {
  /** `at(remaining, node)`: the value with this many decisions left. */
  readonly at: (remaining: number, node: number) => number;
  /** `choiceAt(remaining, node)`: index of the chosen choice. */
  readonly choiceAt: (remaining: number, node: number) => number;
}

/** The value of a branch, by the value of where it leads. */
type Reward = (branch: Branch, after: number) => number;

/** Chooses one of the choices of a node by their values. */
type Choosing = (values: readonly number[], choices: readonly Choice[]) => number;

/** A smaller difference of two values is a rounding error. */
const ROUNDING = 1e-12;

/** The last of the choices with the greatest value: to attack now, if waiting gains nothing. The first one if all are 0. */
export const greatest: Choosing = (values) => {
  const best = Math.max(...values);
  return best < ROUNDING ? 0 : values.findLastIndex((value) => value > best - ROUNDING);
};

/** The honest choice. */
export const honest: Choosing = () => 0;

/** The values and the choices of all nodes with one number of decisions left. */
interface Layer {
  readonly values: Float64Array;
  readonly choices: Int32Array;
}

/** Backward induction: the values of all nodes, from the last decision to the first. */
export function valuesOf(process: Process, reward: Reward, choosing: Choosing): Values {
  const layers: Layer[] = [layerOf(process.nodes.length)];
  for (const later of layers) {
    if (layers.length > process.length) break;
    layers.push(before(later, process, reward, choosing));
  }
  return {
    at: (remaining, node) => layers[remaining]?.values[node] ?? 0,
    choiceAt: (remaining, node) => layers[remaining]?.choices[node] ?? 0,
  };
}

const layerOf = (nodes: number): Layer => ({
  values: new Float64Array(nodes),
  choices: new Int32Array(nodes),
});

/** The layer with one decision more than a later one. */
function before({ values: later }: Layer, { nodes }: Process, reward: Reward, choosing: Choosing): Layer {
  const { values, choices } = layerOf(nodes.length);
  const expected = ({ branches }: Choice): number =>
    branches.reduce((sum, branch) => {
      const after = (nodes[branch.to]?.samples ?? 0) > 0 ? values : later;
      return sum + branch.probability * reward(branch, after[branch.to] ?? 0);
    }, 0);
  // A node of more samples is reached within the decision: its value is found first.
  const order = [...nodes.entries()].sort(([, a], [, b]) => b.samples - a.samples);
  for (const [id, node] of order) {
    const all = node.choices.map(expected);
    const choice = choosing(all, node.choices);
    choices[id] = choice;
    values[id] = all[choice] ?? 0;
  }
  return { values, choices };
}
