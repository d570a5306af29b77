import type { TaskInput, TaskLimits } from "../machines/task/index.ts";
import { type Bounds, TOOLS } from "./environment.ts";

/** One exploration of a set: how far it goes, and what the task is started with. */
export interface Case {
  readonly name: string;
  readonly bounds: Bounds;
  readonly input: Partial<TaskInput>;
}

const ALL_TOOLS = TOOLS.map(({ name }) => name);

/** One answer of one call, and no disturbance. */
const SMALLEST: Bounds = {
  turns: 1,
  calls: 1,
  blocks: 1,
  queued: 0,
  interruptions: 0,
  thinks: false,
  tools: ["read", "write", "command", "question", "complete"],
  crashes: 0,
};

/** Answer after answer of one call, with everything that may come between, at any time and any number of times. */
const ENDLESS: Bounds = {
  ...SMALLEST,
  turns: "any",
  queued: "any",
  interruptions: "any",
  tools: ALL_TOOLS,
  crashes: "any",
};

/** One of each at a time: a retry, a pause, a mistake, a queued message, a command in the background. */
const ONE_OF_EACH: Partial<TaskLimits> = { retries: 1, pauses: 1, mistakes: 1, queued: 1, background: 1 };

/** Limits so near that each is reached within a few events. */
const NEAR: Partial<TaskLimits> = {
  ...ONE_OF_EACH,
  requests: 2,
  repetitions: 1,
  calls: 1,
  parallelReads: 1,
};

/** What a case of one's own changes: bounds, and what the task is started with. */
export interface CaseOptions extends Partial<Bounds> {
  /** Retries of a failed request before the user is asked. */
  readonly retries?: number;
  /** Whether a snapshot is taken before a call that may change the workspace. */
  readonly checkpoints?: boolean;
}

/**
 * A case with these bounds. What isn't said is the smallest: one answer of one call, the blocks that its calls
 * need, one retry, no queue, no interruption, no crash.
 */
export function createCase(
  { retries = 1, checkpoints = false, ...bounds }: CaseOptions,
  name = "asked",
): Case {
  const calls = bounds.calls ?? SMALLEST.calls;
  const isEndless = Object.values(bounds).includes("any");
  const limits = isEndless ? { ...ONE_OF_EACH, retries, calls } : { retries, pauses: 1 };
  return {
    name,
    bounds: { ...SMALLEST, blocks: Math.max(1, calls), ...bounds },
    input: { limits, ...(checkpoints && { checkpoints }) },
  };
}

const TWO_CALLS: Bounds = { ...ENDLESS, calls: 2, blocks: 2 };

/**
 * The explorations that together are the default. In each there is any number of answers, cancels, failures of the
 * journal, crashes and subtasks, and one retry, one queued message and one command in the background at a time. The
 * first has answers of two calls, of all kinds of tools; mistakes and pauses have no limit there, for they are counted
 * in answers of one call too. Those that take longest come first.
 */
export const DEFAULT_CASES: readonly Case[] = [
  {
    name: "answers of two calls",
    bounds: TWO_CALLS,
    input: { limits: { ...ONE_OF_EACH, mistakes: 0, pauses: 0, calls: 2, parallelReads: 2 } },
  },
  {
    name: "answers of one call, with thoughts and near limits",
    bounds: { ...ENDLESS, thinks: true },
    input: { limits: NEAR },
  },
  {
    name: "answers of two calls, with snapshots",
    bounds: { ...TWO_CALLS, tools: ["write", "delegate"] },
    input: { limits: { ...ONE_OF_EACH, calls: 2, parallelReads: 2 }, checkpoints: true },
  },
];

/** The exploration in whose states events meet by default: answer after answer of one call. */
export const RACE_CASE: Case = {
  name: "races",
  bounds: { ...ENDLESS, tools: ["command", "delegate"] },
  input: { limits: { ...ONE_OF_EACH, calls: 1 }, checkpoints: true },
};
