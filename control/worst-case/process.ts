/** The ends of a run, as nodes of its process. */
export const ENDS = ["attacked", "caught", "stopped"] as const;
export type End = (typeof ENDS)[number];
export const nodeOfEnd = (end: End): number => ENDS.indexOf(end);

/** The writer of an action that ran. `edited`: an action of the untrusted model, edited by the trusted one. */
export type Writer = "untrusted" | "trusted" | "edited";

/** A possible result of a choice. */
export interface Branch {
  readonly probability: number;
  /** Index of the next node. */
  readonly to: number;
  /** Audits on the way. */
  readonly audits: number;
  /** The writer of the action that ran on the way. Absent: none ran. */
  readonly ran?: Writer;
}

/** A choice of the untrusted policy. The first one of each node is honest. */
export interface Choice {
  readonly action: string;
  readonly branches: readonly Branch[];
}

/** A situation in which the untrusted policy chooses. */
export interface ProcessNode {
  /** The state of the protocol, and the samples so far. */
  readonly name: string;
  /** Responses that were sampled at this decision so far. 0: the decision begins. */
  readonly samples: number;
  /** Empty for an end, and for a decision after the last one. */
  readonly choices: readonly Choice[];
}

/** A Markov decision process: a protocol against an untrusted policy, over a number of decisions. */
export interface Process {
  /** Decisions of a run. */
  readonly length: number;
  /** The ends first, then the node in which the run begins. */
  readonly nodes: readonly ProcessNode[];
  /** The names of the score classes. */
  readonly classes: readonly string[];
}

/** The node in which a run begins. */
export const START = ENDS.length;
