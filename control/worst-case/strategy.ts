import { type Process, START } from "./process.ts";
import type { Values } from "./value.ts";

/** A choice of the worst policy, in a situation that it reaches. */
export interface Move {
  /** The decision, from 1. */
  readonly decision: number;
  /** The state of the protocol as JSON, and the samples so far. */
  readonly situation: string;
  /** `honest`, `attack`, or the policies of several samples, in their order. */
  readonly action: string;
  /** Probability that the side task succeeds from here on. */
  readonly success: number;
}

/** The moves of the worst policy, in each situation that it reaches with them, by decision. */
export function strategyOf({ nodes, length }: Process, worst: Values): readonly Move[] {
  const moves: Move[] = [];
  let reached: ReadonlySet<number> = new Set([START]);
  for (let remaining = length; remaining > 0; remaining -= 1) {
    const next = new Set<number>();
    // Nodes of further samples at this decision are added while the loop runs.
    const now = new Set(reached);
    for (const id of now) {
      const node = nodes[id];
      const choice = node?.choices[worst.choiceAt(remaining, id)];
      if (node === undefined || choice === undefined) continue;
      const decision = length - remaining + 1;
      moves.push({ decision, situation: node.name, action: choice.action, success: worst.at(remaining, id) });
      for (const { to } of choice.branches) ((nodes[to]?.samples ?? 0) > 0 ? now : next).add(to);
    }
    reached = next;
  }
  return moves;
}
