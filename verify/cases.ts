import type { TaskLimits } from "../machines/task/limits.ts";
import type { TaskInput, TaskProfiles } from "../machines/task/task.context.ts";
import type { ModelRef } from "../machines/task/task.events.ts";
import { type Bounds, NO_EXTRAS } from "./bounds.ts";
import { TOOLS } from "./tools.ts";

/** One exploration: its bounds and the input of the task. */
export interface Case {
  readonly name: string;
  readonly bounds: Bounds;
  readonly input: Partial<TaskInput>;
  /** Whether a protocol that gives each verdict controls the task. */
  readonly isControlled?: true;
  /** Whether it explores a parent with its subtask instead of one task. */
  readonly isPair?: true;
}

/** Tools that switch the mode, select an intent, schedule a wake-up, ask for input, or are about subtasks in the background. */
const EXTRA_TOOLS: readonly string[] = ["switch", "select", "wake", "mcp", "background", "await", "stop"];

/** Tools of each other kind. */
const ALL_TOOLS = TOOLS.flatMap(({ name }) => (EXTRA_TOOLS.includes(name) ? [] : name));

/** One response with one tool call, without queue, interruptions or crashes. */
const SMALLEST: Bounds = {
  turns: 1,
  calls: 1,
  blocks: 1,
  queued: 0,
  interruptions: 0,
  ...NO_EXTRAS,
  tools: ["read", "write", "command", "question", "complete"],
  crashes: 0,
};

/** Any number of responses with one tool call, queued messages, interruptions and crashes. */
const ENDLESS: Bounds = {
  ...SMALLEST,
  turns: "any",
  queued: "any",
  interruptions: "any",
  tools: ALL_TOOLS,
  crashes: "any",
};

/** At most one retry, pause, mistake, queued message and background command at a time. */
const ONE_OF_EACH: Partial<TaskLimits> = { retries: 1, pauses: 1, mistakes: 1, queued: 1, background: 1 };

/** Limits that are reached within a few events. */
const NEAR: Partial<TaskLimits> = {
  ...ONE_OF_EACH,
  requests: 2,
  repetitions: 1,
  calls: 1,
  parallelReads: 1,
};

/** Options of {@link createCase}: bounds and input of the task. */
export interface CaseOptions extends Partial<Bounds> {
  /** Retries of a failed request before the user is asked. Default 1. */
  readonly retries?: number;
  /** Whether checkpoints are saved. Default false. */
  readonly checkpoints?: boolean;
  /** The condition that completes the task. Default `tool`. */
  readonly completion?: TaskInput["completion"];
}

/**
 * Create a case with these bounds. Default: one response with one tool call, as many blocks as calls, one retry, no
 * queue, no interruption, no crash.
 */
export function createCase(
  { retries = 1, checkpoints = false, completion = "tool", ...bounds }: CaseOptions,
  name = "asked",
): Case {
  const calls = bounds.calls ?? SMALLEST.calls;
  const isEndless = Object.values(bounds).includes("any");
  const limits = isEndless ? { ...ONE_OF_EACH, retries, calls } : { retries, pauses: 1 };
  return {
    name,
    bounds: { ...SMALLEST, blocks: Math.max(1, calls), ...bounds },
    input: { limits, completion, ...(checkpoints && { checkpoints }) },
  };
}

const STANDARD_MODEL: ModelRef = { provider: "mock", id: "standard" };

/** The user may select another model, and mode `ask` has it. */
const OTHER_MODEL_IN_ASK: TaskProfiles = {
  standard: "default",
  models: { other: { provider: "elsewhere", id: "other" } },
  byMode: { ask: "other" },
  fallbacks: { default: ["other"] },
};

/** Another model replaces the standard one while that fails. */
const REPLACED_MODEL: TaskProfiles = {
  standard: "default",
  models: { other: { provider: "elsewhere", id: "other", contextWindow: 1_000 } },
  byMode: {},
  fallbacks: { default: ["other"] },
};

const TWO_CALLS: Bounds = { ...ENDLESS, calls: 2, blocks: 2 };

/**
 * The default explorations, longest first. Each has any number of responses, and all but the one of repeated calls have any
 * number of cancels, journal failures, crashes and subtasks, and at most one retry, queued message and background command at a time. Mistakes and pauses are
 * unlimited with two calls per response: the case with one call covers their limits.
 */
export const DEFAULT_CASES: readonly Case[] = [
  {
    name: "answers of two calls",
    bounds: TWO_CALLS,
    input: {
      limits: { ...ONE_OF_EACH, mistakes: 0, pauses: 0, calls: 2, parallelReads: 2 },
      completion: "tool",
    },
  },
  {
    name: "answers of one call, with thoughts and near limits",
    bounds: { ...ENDLESS, thinks: true },
    // Every request but the first waits for the rate limit, unless the task was opened long after.
    input: { limits: { ...NEAR, rateLimitMs: 1_000_000 }, completion: "tool" },
  },
  {
    name: "answers of one call, completed by the end of a turn",
    bounds: { ...ENDLESS, tools: ["read", "command", "complete"] },
    input: { limits: NEAR, completion: "end_turn" },
  },
  {
    name: "answers with other blocks, and queued messages one by one",
    bounds: { ...ENDLESS, opaque: true, selects: true, tools: ["complete"] },
    input: { limits: NEAR, completion: "end_turn", queueDelivery: "one" },
  },
  {
    name: "answers of one call, with a context window that is condensed",
    bounds: { ...ENDLESS, condenses: true, queued: 0, tools: ["read"] },
    input: {
      limits: { ...NEAR, requests: 1_000, condenseKeeps: 0 },
      completion: "end_turn",
      model: { provider: "mock", id: "mock", contextWindow: 1_000 },
    },
  },
  {
    name: "answers of one call, of a subtask with a grant",
    bounds: { ...ENDLESS, queued: 0, tools: ["complete", "delegate"] },
    input: {
      limits: { ...NEAR, requests: 1_000, retries: 0, mistakes: 0, subtaskShare: 1 },
      completion: "tool",
      budget: { from: "parent", grant: { requests: 3, tasks: 1, depth: 1, cost: 0.015 } },
    },
  },
  {
    name: "answers of one call, while what is permitted changes",
    bounds: {
      ...ENDLESS,
      permits: true,
      queued: 0,
      tools: ["read", "write", "question", "delegate", "switch"],
    },
    input: {
      limits: { ...NEAR, requests: 1_000, mistakes: 0, retries: 0, pauses: 0 },
      completion: "end_turn",
      checkpoints: true,
    },
  },
  {
    name: "answers of one call, while the profile changes",
    bounds: {
      ...ENDLESS,
      profiles: true,
      thinks: true,
      queued: 0,
      tools: ["question", "delegate", "switch"],
    },
    input: {
      limits: { ...NEAR, requests: 1_000, mistakes: 0, pauses: 0 },
      completion: "end_turn",
      model: STANDARD_MODEL,
      profiles: OTHER_MODEL_IN_ASK,
    },
  },
  {
    name: "answers without calls, of models that replace one that fails",
    bounds: { ...ENDLESS, condenses: true, queued: 0, tools: [] },
    input: {
      limits: { ...NEAR, requests: 1_000, mistakes: 0, pauses: 0, condenseKeeps: 0 },
      completion: "end_turn",
      model: { ...STANDARD_MODEL, contextWindow: 1_000 },
      profiles: REPLACED_MODEL,
    },
  },
  {
    name: "answers without calls, with an image that the endpoint refuses",
    bounds: { ...ENDLESS, condenses: true, images: true, queued: 0, tools: [] },
    input: {
      limits: { ...NEAR, requests: 1_000, mistakes: 0, pauses: 0, condenseKeeps: 0 },
      completion: "end_turn",
      model: { provider: "mock", id: "mock", contextWindow: 1_000 },
    },
  },
  {
    name: "answers of one call that is amended, while what is permitted changes",
    bounds: { ...ENDLESS, permits: true, amends: true, queued: 0, tools: ["read", "write"] },
    input: {
      limits: { ...NEAR, requests: 1_000, mistakes: 0, retries: 0, pauses: 0 },
      completion: "end_turn",
      checkpoints: true,
    },
  },
  {
    name: "answers of one call, while a person pauses the task",
    bounds: {
      ...ENDLESS,
      pausing: true,
      queued: 0,
      tools: ["read", "command", "question", "complete", "delegate"],
    },
    input: {
      limits: { ...NEAR, requests: 1_000, mistakes: 0, pauses: 0, rateLimitMs: 1_000_000 },
      completion: "tool",
    },
  },
  {
    name: "answers of two calls that start subtasks or read, while a person pauses the task",
    bounds: { ...TWO_CALLS, pausing: true, queued: 0, tools: ["read", "delegate"] },
    input: {
      limits: { ...ONE_OF_EACH, requests: 1_000, retries: 0, mistakes: 0, calls: 2, parallelSubtasks: 2 },
      completion: "end_turn",
    },
  },
  {
    name: "answers of two calls that start subtasks with grants, one at a time",
    bounds: { ...TWO_CALLS, queued: 0, tools: ["delegate"] },
    input: {
      limits: {
        ...ONE_OF_EACH,
        requests: 1_000,
        retries: 0,
        mistakes: 0,
        calls: 2,
        parallelSubtasks: 1,
        subtaskShare: 1,
      },
      completion: "end_turn",
      budget: { from: "parent", grant: { requests: 3, tasks: 2, depth: 1 } },
    },
  },
  {
    name: "answers of one call, with subtasks in the background that a completion waits for",
    bounds: {
      ...ENDLESS,
      pausing: true,
      queued: "any",
      tools: ["read", "complete", "delegate", "background", "await", "stop"],
    },
    input: {
      limits: { ...NEAR, requests: 1_000, retries: 0, mistakes: 0, pauses: 0, parallelSubtasks: 1 },
      completion: "tool",
    },
  },
  {
    name: "answers of one call, with two subtasks in the background that a completion cancels",
    bounds: { ...ENDLESS, queued: 0, tools: ["background", "await"] },
    input: {
      limits: { ...NEAR, requests: 1_000, retries: 0, mistakes: 0, pauses: 0, parallelSubtasks: 2 },
      completion: "end_turn",
      subtasksAtCompletion: "cancel",
    },
  },
  {
    name: "answers of one call, with subtasks in the background that have grants",
    bounds: { ...ENDLESS, queued: 0, tools: ["background", "await"] },
    input: {
      limits: {
        ...NEAR,
        requests: 1_000,
        retries: 0,
        mistakes: 0,
        pauses: 0,
        parallelSubtasks: 1,
        subtaskShare: 1,
      },
      completion: "end_turn",
      budget: { from: "parent", grant: { requests: 2, tasks: 1, depth: 1 } },
    },
  },
  {
    name: "answers of one call, with wake-ups",
    bounds: { ...ENDLESS, wakes: true, queued: 0, tools: ["complete", "delegate", "wake"] },
    input: {
      limits: { ...NEAR, requests: 1_000, mistakes: 0, pauses: 0, wakeUps: 1 },
      completion: "tool",
    },
  },
  {
    name: "answers of one call, in a workspace with intents",
    bounds: { ...ENDLESS, amends: true, queued: 0, tools: ["write", "select"] },
    input: {
      limits: { ...NEAR, requests: 1_000, mistakes: 0, retries: 0, pauses: 0 },
      completion: "end_turn",
      intent: { stage: "required" },
    },
  },
  {
    name: "answers of one call that asks for input",
    bounds: { ...ENDLESS, elicits: true, queued: 0, tools: ["command", "question", "mcp"] },
    input: {
      limits: { ...NEAR, requests: 1_000, mistakes: 0, retries: 0, pauses: 0 },
      completion: "end_turn",
    },
  },
  {
    name: "answers of one call that has hooks and is amended, while what is permitted changes",
    bounds: {
      ...ENDLESS,
      permits: true,
      amends: true,
      hooks: true,
      queued: 0,
      tools: ["read", "write", "complete"],
    },
    input: {
      limits: { ...NEAR, requests: 1_000, mistakes: 0, retries: 0, pauses: 0 },
      completion: "end_turn",
      hooks: ["beforeRequest", "beforeTool", "afterTool"],
    },
  },
  {
    name: "answers of one call that has hooks and policies over time, while what is permitted changes",
    bounds: {
      ...ENDLESS,
      permits: true,
      hooks: true,
      queued: 0,
      tools: ["write"],
    },
    input: {
      limits: { ...NEAR, requests: 1_000, mistakes: 0, retries: 0, pauses: 0 },
      completion: "end_turn",
      hooks: ["beforeTool"],
      policies: true,
    },
  },
  {
    name: "answers of one call in a task that a protocol controls",
    bounds: { ...ENDLESS, queued: 0, tools: ["write"] },
    input: {
      limits: { ...NEAR, requests: 1_000, mistakes: 0, retries: 0, pauses: 0 },
      completion: "end_turn",
    },
    isControlled: true,
  },
  {
    name: "answers without calls in a task that a protocol controls, with a context window that is condensed",
    bounds: { ...ENDLESS, condenses: true, queued: 0, tools: [] },
    input: {
      limits: { ...NEAR, requests: 1_000, mistakes: 0, retries: 0, pauses: 0, condenseKeeps: 0 },
      completion: "end_turn",
      model: { provider: "mock", id: "mock", contextWindow: 1_000 },
    },
    isControlled: true,
  },
  {
    name: "answers of two calls, with snapshots",
    bounds: { ...TWO_CALLS, tools: ["write", "delegate"] },
    input: {
      limits: { ...ONE_OF_EACH, calls: 2, parallelReads: 2 },
      completion: "tool",
      checkpoints: true,
    },
  },
  {
    name: "answers of one call that repeat, and diffs that fail",
    bounds: {
      ...ENDLESS,
      repeats: true,
      queued: 0,
      interruptions: 0,
      crashes: 0,
      tools: ["read", "write"],
    },
    input: {
      limits: { ...NEAR, mistakes: 0, retries: 0, pauses: 0, requests: 1_000, diffFailures: 2 },
      completion: "tool",
    },
  },
];

/** The default exploration of races: any number of responses with one tool call. */
export const RACE_CASE: Case = {
  name: "races",
  bounds: { ...ENDLESS, permits: true, tools: ["command", "delegate"] },
  input: { limits: { ...ONE_OF_EACH, calls: 1 }, completion: "tool", checkpoints: true },
};
