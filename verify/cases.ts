import type { TaskInput, TaskLimits } from "../machines/task/index.ts";
import type { Bounds } from "./environment.ts";

/** One exploration of a set: how far it goes, and what the task is started with. */
export interface Case {
  readonly name: string;
  readonly bounds: Bounds;
  readonly input: Partial<TaskInput>;
}

/** The bounds that a case is made from: one answer of one call, and no disturbance. */
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

/** Limits so near that each is reached within a few events. */
const NEAR: Partial<TaskLimits> = {
  mistakes: 1,
  requests: 2,
  retries: 1,
  pauses: 1,
  queued: 1,
  repetitions: 1,
  calls: 1,
  parallelReads: 1,
};
const ONE_RETRY: Partial<TaskLimits> = { retries: 1, pauses: 1 };

/** One retry, and limits that two answers of two calls don't pass by far. */
const TWO_ANSWERS: Partial<TaskLimits> = {
  ...ONE_RETRY,
  mistakes: 3,
  requests: 100,
  queued: 1,
  repetitions: 3,
  calls: 2,
  parallelReads: 2,
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
export function caseOf({ retries = 1, checkpoints = false, ...bounds }: CaseOptions, name = "asked"): Case {
  const calls = bounds.calls ?? SMALLEST.calls;
  return {
    name,
    bounds: { ...SMALLEST, blocks: Math.max(1, calls), ...bounds },
    input: { limits: { ...ONE_RETRY, retries }, ...(checkpoints && { checkpoints }) },
  };
}

/**
 * The explorations that together are the default: two answers, two calls in an answer, one retry, one queued
 * message, one interruption, one subtask, crashes. No single one has all of it at once: that would be millions of
 * states. Those that take longest come first.
 */
export const DEFAULT_CASES: readonly Case[] = [
  {
    name: "two calls in one answer",
    bounds: { ...SMALLEST, calls: 2, blocks: 2 },
    input: {},
  },
  {
    name: "two answers of two calls, a write and a subtask",
    bounds: { ...SMALLEST, turns: 2, calls: 2, blocks: 2, tools: ["write", "delegate"] },
    input: { limits: TWO_ANSWERS },
  },
  {
    name: "one call with a queue, an interruption and near limits",
    bounds: { ...SMALLEST, queued: 1, interruptions: 1, thinks: true },
    input: { limits: NEAR },
  },
  {
    name: "a write and a subtask in one answer, with snapshots and a crash",
    bounds: { ...SMALLEST, calls: 2, blocks: 2, tools: ["write", "delegate"], crashes: 1 },
    input: { checkpoints: true },
  },
  {
    name: "a crash at every state of two answers",
    bounds: { ...SMALLEST, turns: 2, crashes: 1 },
    input: {},
  },
  {
    name: "answer after answer with near limits",
    bounds: { ...SMALLEST, turns: 2 },
    input: { limits: NEAR },
  },
  {
    name: "two crashes and an interruption, with a subtask and snapshots",
    bounds: { ...SMALLEST, interruptions: 1, tools: ["command", "delegate", "complete"], crashes: 2 },
    input: { checkpoints: true },
  },
];

/** The exploration in whose states events meet by default: small, and with something of everything that races. */
export const RACE_CASE: Case = caseOf(
  { queued: 1, interruptions: 1, tools: ["command", "delegate"], checkpoints: true },
  "races",
);
