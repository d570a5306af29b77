import { afterEach, describe, expect, test, vi } from "vitest";
import { LedgerFile } from "../../../store/ledger/ledger-file.ts";
import { TaskLedger } from "../../../store/ledger/task-ledger.ts";
import { exploreLedger, type LedgerBounds } from "../../support/ledger-exploration.ts";
import { LEDGER_FAULTS, withLedgerFault } from "../../support/ledger-faults.ts";

const TWO_PROCESSES = {
  name: "two processes, one of which is killed",
  processes: [
    [
      { commit: "t1", files: ["a"] },
      { commit: "t1", files: ["b", "c"] },
    ],
    [
      { commit: "t2", files: ["d"] },
      { commit: "t2", files: ["e"] },
    ],
  ],
  kills: 1,
  powerFailures: 0,
};

const CASES: readonly (LedgerBounds & { readonly name: string })[] = [
  TWO_PROCESSES,
  {
    name: "two processes, while the power fails",
    processes: [
      [
        { commit: "t1", files: ["a"] },
        { commit: "t1", files: ["b", "c"] },
      ],
      [{ commit: "t2", files: ["d"] }],
    ],
    kills: 0,
    powerFailures: 1,
  },
  {
    name: "a process with two tasks that is killed twice, also while it repairs",
    processes: [
      [
        { commit: "t1", files: ["a", "b"] },
        { commit: "t2", files: ["c"] },
        { commit: "t1", files: ["d"] },
      ],
    ],
    kills: 2,
    powerFailures: 0,
  },
  {
    name: "a fork in another process",
    processes: [
      [
        { commit: "t1", files: ["a"] },
        { commit: "t1", files: ["b"] },
      ],
      [
        { fork: "t1", as: "t2" },
        { commit: "t2", files: ["c"] },
      ],
    ],
    kills: 1,
    powerFailures: 0,
  },
];

describe("a ledger", () => {
  test.each(CASES)(
    "has each committed write once, in order, and nothing else, in every state (LEDGER): $name",
    async ({ name, ...bounds }) => {
      const { states, steps, violation } = await exploreLedger({ LedgerFile, TaskLedger }, bounds);
      console.log(`${name}: ${states} states, ${steps} steps`);
      expect(violation).toBeUndefined();
      expect(states).toBeGreaterThan(500);
    },
  );
});

describe("a seeded fault of a ledger", () => {
  afterEach(() => {
    vi.resetModules();
  });

  test.each(LEDGER_FAULTS)("is caught (LEDGER): $name", async (fault) => {
    const { name: _, ...standard } = TWO_PROCESSES;
    const { violation } = await exploreLedger(await withLedgerFault(fault), { ...standard, ...fault.bounds });
    console.log(`${fault.name}: ${violation?.what}, by ${violation?.path.length} steps`);
    expect(violation).toBeDefined();
  });
});
