import type { Protocol } from "../control/protocol.ts";

/** Scores by the name of a monitor. A score is over one of them if it is strictly greater. */
export type ScoreCuts = Readonly<Record<string, readonly number[]>>;

/** A maximum, or "any": unlimited, and not counted in the abstract state. */
export type Bound = number | "any";

/** Bounds of an exploration. */
export interface Bounds {
  /** Requests with a response; later ones only fail. */
  readonly turns: Bound;
  /** Tool calls per response. */
  readonly calls: number;
  /** Blocks per response, tool calls included. */
  readonly blocks: number;
  /** Queued messages. The task's limit `queued` limits those that wait at once. */
  readonly queued: Bound;
  /** Cancels and journal failures. */
  readonly interruptions: Bound;
  /** Whether responses may start with thinking. */
  readonly thinks: boolean;
  /** Whether a response may contain a block that is not interpreted: the use of a server tool, without its result. */
  readonly opaque: boolean;
  /** Whether the conversation is condensed: by the user, at the threshold and when the window is full. */
  readonly condenses: boolean;
  /** Whether a request may have an image, which the endpoint may refuse. */
  readonly images: boolean;
  /** Whether calls of one tool are the same call, and those that write patch one file. */
  readonly repeats: boolean;
  /** Whether the user changes what completes the task. */
  readonly selects: boolean;
  /** Whether what is permitted changes: by the user, with an answer, and by a call that switches the mode. */
  readonly permits: boolean;
  /** Whether the profile changes: by the user, and by a switch of the mode. */
  readonly profiles: boolean;
  /** Whether a person amends calls of the ask `tool` with their approval. */
  readonly amends: boolean;
  /** Whether a running call of the ask `use_mcp_server` asks a person for input. */
  readonly elicits: boolean;
  /** Whether the hooks of a task that has some decide in each way, and add texts. */
  readonly hooks: boolean;
  /** The protocol that controls the task: each class of its scores is explored. Default: none. */
  readonly protocol?: Protocol;
  /** Scores of its monitors at which a policy over time decides differently: they also bound classes. Default: none. */
  readonly scoreCuts?: ScoreCuts;
  /** Whether a person pauses the task. */
  readonly pausing: boolean;
  /** Whether wake-ups are scheduled, cleared and due. */
  readonly wakes: boolean;
  /** Available tools, by their names: `read`, `write`, `command`, `question`, `complete`, `delegate`, `switch`, ... */
  readonly tools: readonly string[];
  /** Crashes of the process at any settled state; the task is reopened. */
  readonly crashes: Bound;
}

/** The bounds of what an exploration leaves out unless they say otherwise. */
export const NO_EXTRAS = {
  thinks: false,
  opaque: false,
  condenses: false,
  images: false,
  repeats: false,
  selects: false,
  permits: false,
  profiles: false,
  amends: false,
  elicits: false,
  hooks: false,
  pausing: false,
  wakes: false,
} as const satisfies Partial<Bounds>;

/** Counts of a path that are compared with its {@link Bounds}. */
export interface Spent {
  readonly interruptions: number;
  readonly queued: number;
  readonly requests: number;
  readonly crashes: number;
}

export const NOTHING_SPENT: Spent = { interruptions: 0, queued: 0, requests: 0, crashes: 0 };

export const isWithin = (spent: number, bound: Bound): boolean => bound === "any" || spent < bound;

/** A count, as the abstract state has it. */
export const counted = (spent: number, bound: Bound): number => (bound === "any" ? 0 : spent);
