import { describe, expect, it } from "vitest";
import type { TaskInput } from "../../machines/task/task.context.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { ALL_LAWS, type Bounds, createCase, explore, formatTrace } from "../../verify/index.ts";
import { TOOLS } from "../../verify/tools.ts";

const CASES: readonly {
  readonly name: string;
  readonly bounds: Partial<Bounds>;
  readonly input?: Partial<TaskInput>;
  readonly maxStates?: number;
}[] = [
  createCase({ calls: 2, tools: ["write", "complete"] }, "a completion after a failed call"),
  {
    name: "two calls, while what is permitted changes",
    bounds: {
      turns: "any",
      calls: 2,
      blocks: 2,
      queued: 0,
      interruptions: "any",
      permits: true,
      tools: ["read", "write", "question", "switch"],
      crashes: "any",
    },
    input: {
      limits: {
        retries: 0,
        pauses: 0,
        mistakes: 0,
        background: 1,
        requests: 1_000,
        repetitions: 1,
        calls: 2,
      },
      completion: "end_turn",
      checkpoints: true,
    },
  },
  {
    name: "three subtasks, two at once",
    bounds: {
      turns: "any",
      calls: 3,
      blocks: 3,
      queued: 0,
      interruptions: "any",
      tools: ["delegate"],
      crashes: "any",
    },
    input: {
      limits: { retries: 0, pauses: 1, mistakes: 0, requests: 1_000, calls: 3, parallelSubtasks: 2 },
      completion: "end_turn",
    },
  },
  {
    name: "two calls, in a workspace with intents",
    bounds: {
      turns: "any",
      calls: 2,
      blocks: 2,
      queued: 0,
      interruptions: "any",
      tools: ["write", "select"],
      crashes: "any",
    },
    input: {
      limits: {
        retries: 0,
        pauses: 0,
        mistakes: 0,
        background: 1,
        requests: 1_000,
        repetitions: 1,
        calls: 2,
      },
      completion: "end_turn",
      intent: { stage: "required" },
    },
  },
  {
    name: "as deep as the number of states allows",
    bounds: {
      turns: 3,
      calls: 3,
      blocks: 5,
      queued: 2,
      interruptions: 2,
      thinks: true,
      tools: TOOLS.map(({ name }) => name),
      crashes: 2,
    },
    input: { checkpoints: true },
    maxStates: 4_000,
  },
];

/** A task with hooks at each point, together with another feature. */
const WITH_HOOKS = {
  bounds: {
    turns: "any",
    calls: 1,
    blocks: 1,
    queued: 0,
    interruptions: "any",
    hooks: true,
    crashes: "any",
  },
  input: {
    limits: { retries: 0, pauses: 0, mistakes: 0, background: 1, requests: 1_000, repetitions: 1 },
    completion: "end_turn",
    hooks: ["beforeRequest", "beforeTool", "afterTool"],
  },
} as const;

const HOOK_PAIRS: typeof CASES = [
  {
    name: "hooks, and subtasks and commands",
    bounds: { ...WITH_HOOKS.bounds, tools: ["delegate", "command"] },
    input: WITH_HOOKS.input,
  },
  {
    name: "hooks, and calls that ask for input",
    bounds: { ...WITH_HOOKS.bounds, elicits: true, tools: ["mcp", "question"] },
    input: WITH_HOOKS.input,
  },
  {
    name: "hooks, and snapshots of amended calls",
    bounds: { ...WITH_HOOKS.bounds, amends: true, tools: ["write"] },
    input: { ...WITH_HOOKS.input, checkpoints: true },
  },
  {
    name: "hooks after writes alone",
    bounds: { ...WITH_HOOKS.bounds, tools: ["write"] },
    input: { ...WITH_HOOKS.input, hooks: ["afterWrite"] },
  },
  {
    name: "hooks, and two calls",
    bounds: { ...WITH_HOOKS.bounds, calls: 2, blocks: 2, tools: ["read", "write"] },
    input: { ...WITH_HOOKS.input, limits: { ...WITH_HOOKS.input.limits, calls: 2, parallelReads: 2 } },
  },
  {
    name: "hooks before requests, and a context window that is condensed",
    bounds: { ...WITH_HOOKS.bounds, condenses: true, tools: ["read"] },
    input: {
      ...WITH_HOOKS.input,
      hooks: ["beforeRequest"],
      limits: { ...WITH_HOOKS.input.limits, condenseKeeps: 0 },
      model: { provider: "mock", id: "mock", contextWindow: 1_000 },
    },
  },
];

describe("exploration of the shipped machine", () => {
  it.each([...CASES, ...HOOK_PAIRS])(
    "holds every law in every macrostep (L1-L8, L10-L14, L16): $name",
    ({ name, bounds, input, maxStates }) => {
      const result = explore({
        machine: taskMachine,
        laws: ALL_LAWS,
        bounds,
        ...(input !== undefined && { input }),
        ...(maxStates !== undefined && { maxStates }),
      });
      const { states, steps, recoveries, depth, complete } = result;
      console.log(
        `${name}: ${states} states, ${steps} steps, ${recoveries} of them recoveries, depth ${depth}, ${complete ? "complete" : "cut"}`,
      );
      expect(result.violations.map((violation) => formatTrace(violation, taskMachine, input))).toEqual([]);
      expect(complete).toBe(maxStates === undefined);
    },
  );
});
