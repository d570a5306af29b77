import { afterEach, describe, expect, test, vi } from "vitest";
import { subtaskOutcome, subtaskStep } from "../../../machines/task/subtask-outcome.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import { explorePair } from "../../../verify/subtasks/exploration.ts";
import type { PairRules } from "../../../verify/subtasks/pair.ts";
import { type Fault, withFault } from "../../support/seeded-faults.ts";

/** A deliberate bug in a machine, or in what two of them are composed with. */
interface PairFault extends Pick<Fault, "name" | "law" | "file" | "replace"> {
  readonly rules?: Partial<PairRules>;
}

const FAULTS: readonly PairFault[] = [
  {
    name: "lock taken for the end of the subtask (LIFE-GAP-001)",
    law: "JOIN",
    rules: {
      unavailable: (callId, at) => ({
        type: "subtask.ended",
        at,
        callId,
        end: { kind: "failed", message: "it is locked" },
      }),
    },
  },
  { name: "deletion without a mark (LIFE-GAP-023)", law: "L16", rules: { marks: false } },
  {
    name: "mark of a deletion ignored (LIFE-GAP-023)",
    law: "L16",
    rules: { step: (found) => subtaskStep({ ...found, isDeleted: false }) },
  },
  {
    name: "mark taken for a deletion that did not happen",
    law: "JOIN",
    rules: { step: (found) => (found.isDeleted ? { kind: "deleted" } : subtaskStep(found)) },
  },
  { name: "lock ignored", law: "L16", rules: { locks: false } },
  { name: "subtask started before its parent's record", law: "JOIN", rules: { waitsForRecord: false } },
  { name: "cancel that does not reach the subtask", law: "TREE", rules: { cancels: false } },
  {
    name: "rest of a reopened subtask taken for its end",
    law: "JOIN",
    rules: { outcome: ({ cause: _, ...commit }) => subtaskOutcome(commit) },
  },
  {
    name: "paused subtask taken for a cancelled one",
    law: "JOIN",
    rules: { outcome: ({ facts: _, ...commit }) => subtaskOutcome(commit) },
  },
  {
    name: "parent that rests as paused while its subtask works",
    law: "PAUSE",
    rules: { rests: () => true },
  },
  { name: "pause that does not reach the subtask", law: "PAUSE", rules: { pauses: false } },
  {
    name: "rest of a grant put back twice",
    law: "BUDGET",
    file: "task/budget.ts",
    replace: ({ putBackRest }) => ({
      putBackRest: (...of: readonly unknown[]) => {
        putBackRest(...of);
        putBackRest(...of);
      },
    }),
  },
  {
    name: "unavailable subtask cancelled by the machine",
    law: "JOIN",
    file: "task/subtask.ts",
    replace: ({ leaveSubtask, settleSubtask }) => ({
      // biome-ignore lint/suspicious/noExplicitAny: a fault replaces a function of any kind.
      leaveSubtask: (change: any) => {
        leaveSubtask(change);
        const { event } = change;
        const ended = { ...event, type: "subtask.ended", end: { kind: "failed", message: "gone" } };
        settleSubtask(new Proxy(change, { get: (of, key) => (key === "event" ? ended : boundIn(of, key)) }));
      },
    }),
  },
];

const boundIn = (of: object, key: string | symbol): unknown => {
  const value: unknown = Reflect.get(of, key, of);
  return typeof value === "function" ? value.bind(of) : value;
};

describe("a parent and its subtask", () => {
  test("obey their laws in every state of a bounded exploration (LIFE-GAP-015)", () => {
    const { states, violations } = explorePair({ machine: taskMachine, maxStates: 3_000 });
    expect(violations).toEqual([]);
    expect(states).toBeGreaterThanOrEqual(3_000);
  });
});

describe("a seeded fault of a parent and its subtask", () => {
  afterEach(() => {
    vi.resetModules();
  });

  test.each(FAULTS)(
    "is caught by its law ($law): $name",
    async (fault) => {
      const machine = await withFault(fault);
      const { rules = {} } = fault;
      const { violations, states } = explorePair({ machine, rules, maxStates: 20_000 });
      console.log(
        `${fault.name}: ${states} states, ${violations[0]?.law} ${violations[0]?.what.split("\n")[0]}`,
      );
      expect(violations.map(({ law }) => law)).toContain(fault.law);
    },
    120_000,
  );
});
