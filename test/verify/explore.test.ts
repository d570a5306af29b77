import { describe, expect, it } from "vitest";
import { type TaskInput, taskMachine } from "../../machines/task/index.ts";
import { ALL_LAWS, type Bounds, type Exploration, explore, TOOLS, traceOf } from "../../verify/index.ts";

/** Limits so near that each is reached within a few events. */
const TIGHT = {
  limits: {
    mistakes: 1,
    requests: 2,
    retries: 1,
    pauses: 1,
    queued: 1,
    repetitions: 1,
    calls: 1,
    parallelReads: 1,
  },
};

const CASES: readonly {
  readonly name: string;
  readonly bounds: Partial<Bounds>;
  readonly input?: Partial<TaskInput>;
  readonly maxStates?: number;
}[] = [
  {
    name: "two calls in one answer",
    bounds: { turns: 1, calls: 2, blocks: 2, queued: 0, interruptions: 0 },
  },
  {
    name: "one call with a queue, an interruption and near limits",
    bounds: { turns: 1, calls: 1, blocks: 1, queued: 1, interruptions: 1, thinks: true },
    input: TIGHT,
  },
  {
    name: "answer after answer with near limits",
    bounds: { turns: 2, calls: 1, blocks: 1, queued: 0, interruptions: 0 },
    input: TIGHT,
  },
  {
    name: "a crash at every state of two answers",
    bounds: { turns: 2, calls: 1, blocks: 1, queued: 0, interruptions: 0, crashes: 1 },
  },
  {
    name: "two crashes and an interruption, with a subtask and snapshots",
    bounds: {
      turns: 1,
      calls: 1,
      blocks: 1,
      queued: 0,
      interruptions: 1,
      tools: ["command", "delegate", "complete"],
      crashes: 2,
    },
    input: { checkpoints: true },
  },
  {
    name: "a write and a subtask in one answer, with snapshots and a crash",
    bounds: {
      turns: 1,
      calls: 2,
      blocks: 2,
      queued: 0,
      interruptions: 0,
      tools: ["write", "delegate"],
      crashes: 1,
    },
    input: { checkpoints: true },
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

const found: Exploration[] = [];

describe("exploration of the shipped machine", () => {
  it.each(CASES)(
    "every law holds in every macrostep (L1-L8, L10-L14, L16): $name",
    ({ name, bounds, input, maxStates }) => {
      const result = explore({
        machine: taskMachine,
        laws: ALL_LAWS,
        bounds,
        ...(input !== undefined && { input }),
        ...(maxStates !== undefined && { maxStates }),
      });
      found.push(result);
      const { states, steps, recoveries, depth, complete } = result;
      console.log(
        `${name}: ${states} states, ${steps} steps, ${recoveries} of them recoveries, depth ${depth}, ${complete ? "complete" : "cut"}`,
      );
      expect(result.violations.map((violation) => traceOf(violation, taskMachine, input))).toEqual([]);
      expect(complete).toBe(maxStates === undefined);
    },
    300_000,
  );

  it("takes every state and every row of the machine's table, between its cases", () => {
    const missed = (part: "states" | "transitions") =>
      [...(found[0]?.coverage[part].keys() ?? [])].filter(
        (row) => !found.some((one) => one.coverage[part].get(row)),
      );
    console.log(
      `rows of the table: ${found[0]?.coverage.transitions.size}, not taken: ${missed("transitions").length}`,
    );
    expect(missed("states")).toEqual([]);
    expect(missed("transitions")).toEqual([]);
  });
});
