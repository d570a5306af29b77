import { assign } from "xstate";
import { claimMachine } from "../../../machines/ownership/claim.machine.ts";
import { leaseMachine } from "../../../machines/ownership/lease.machine.ts";
import { type Database, execute, type Statement } from "../../../verify/ownership/database.ts";
import type { OwnershipOptions } from "../../../verify/ownership/exploration.ts";
import { OWNERSHIP_RULES, type OwnershipRules } from "../../../verify/ownership/rules.ts";

/** A deliberate bug in the ownership of tasks, and the smallest bounds in which a law finds it. */
export interface OwnershipFault {
  readonly name: string;
  readonly law: string;
  readonly rules: Partial<OwnershipRules>;
  readonly bounds: OwnershipOptions;
}

/** Leases of two ticks. Workers may lose two of them. */
const SMALL = { effects: 1, leaseTicks: 2, losses: 2 } as const;
const KILL: OwnershipOptions = { ...SMALL, faults: { kills: 1 } };
const STOP: OwnershipOptions = { ...SMALL, faults: { stops: 1 } };
const CUT: OwnershipOptions = { ...SMALL, faults: { cuts: 1 } };
const SLOW: OwnershipOptions = SMALL;
const REGISTRATION: OwnershipOptions = { ...SMALL, registration: true };
const CLOCK: OwnershipOptions = { ...SMALL, faults: { clocks: 1 } };

/** The database's answer to one kind of statement, changed. */
const answering =
  (
    change: (database: Database, statement: Statement, ticks: number) => Database,
  ): OwnershipRules["execute"] =>
  (database, statement, ticks) =>
    execute(change(database, statement, ticks), statement, ticks);

const claimed = (change: (database: Database) => Database): OwnershipRules["execute"] =>
  answering((database, statement) => (statement.type === "claim" ? change(database) : database));

/** A database whose claims take no place: an append is one of the present epoch. */
const asOwner: OwnershipRules["execute"] = (database, statement, ticks) =>
  execute(
    database,
    statement.type === "append"
      ? { ...statement, epoch: database.epoch, worker: database.owner ?? statement.worker }
      : statement,
    ticks,
  );

/** A database whose claims do not begin an epoch. */
const inOneEpoch: OwnershipRules["execute"] = (database, statement, ticks) => {
  const done = execute(database, statement, ticks);
  if (done.answer.type !== "claimed") return done;
  return { database: { ...done.database, epoch: 1 }, answer: { ...done.answer, epoch: 1 } };
};

export const OWNERSHIP_FAULTS: readonly OwnershipFault[] = [
  {
    name: "a claim that takes no place in the journal",
    law: "OWNED",
    rules: { execute: asOwner },
    bounds: SLOW,
  },
  {
    name: "a driver that does not look whether an unanswered append was executed",
    law: "RECORDED",
    rules: { executedOf: () => 0 },
    bounds: CUT,
  },
  {
    name: "a claim that does not begin an epoch",
    law: "OWNED",
    rules: { execute: inOneEpoch },
    bounds: KILL,
  },
  {
    name: "a claim that does not begin an epoch, and an append that asks only who owns the task",
    law: "FENCE",
    rules: {
      execute: (database, statement, ticks) =>
        statement.type === "append" && database.owner !== statement.worker
          ? { database, answer: { type: "fenced" } }
          : inOneEpoch(database, statement, ticks),
    },
    bounds: KILL,
  },
  {
    name: "a claim that does not ask whether the owner's lease has ended",
    law: "STOPPED",
    rules: {
      execute: claimed((database) => ({
        ...database,
        workers: database.workers.map((row) => (row.id === database.owner ? { ...row, left: 0 } : row)),
      })),
    },
    bounds: SLOW,
  },
  {
    name: "a database that ends leases a tick early",
    law: "STOPPED",
    rules: {
      execute: claimed((database) => ({
        ...database,
        workers: database.workers.map((row) => (row.left === 1 ? { ...row, left: 0 } : row)),
      })),
    },
    bounds: SLOW,
  },
  {
    name: "a claim that never declares an owner dead",
    law: "TAKEN",
    rules: {
      execute: claimed((database) => ({
        ...database,
        workers: database.workers.map((row) => ({ ...row, left: Math.max(1, row.left) })),
      })),
    },
    bounds: KILL,
  },
  {
    name: "a renewal of a worker that was declared dead, and that counts from its answer",
    law: "TAKEN",
    rules: {
      lease: leaseMachine.provide({
        actions: { extend: assign({ deadline: ({ event }) => event.at + 3 }) },
        guards: { isHeld: () => true },
      }),
      execute: (database, statement, ticks) =>
        statement.type === "renew"
          ? { ...execute(database, statement, ticks), answer: { type: "renewed" } }
          : execute(database, statement, ticks),
    },
    bounds: STOP,
  },
  {
    name: "a deadline counted from the answer",
    law: "STOPPED",
    rules: {
      lease: leaseMachine.provide({ actions: { extend: assign({ deadline: ({ event }) => event.at + 3 }) } }),
    },
    bounds: SLOW,
  },
  {
    name: "a deadline without a margin",
    law: "STOPPED",
    rules: {
      lease: leaseMachine.provide({
        actions: { extend: assign({ deadline: ({ context }) => context.sentAt + context.leaseMs }) },
      }),
    },
    bounds: SLOW,
  },
  {
    name: "a registration that is answered after its lease and counts",
    law: "STOPPED",
    rules: {
      lease: leaseMachine.provide({
        actions: { extend: assign({ deadline: ({ event }) => event.at + 3 }) },
        guards: { isInTime: () => true },
      }),
    },
    bounds: REGISTRATION,
  },
  {
    name: "an effect that starts without a look at the lease",
    law: "STOPPED",
    rules: { mayStartEffects: () => true },
    bounds: STOP,
  },
  {
    name: "a lease whose time is read from a clock that is set back",
    law: "STOPPED",
    rules: { timeSeen: (set) => set },
    bounds: CLOCK,
  },
  {
    name: "a lost lease that stops nothing",
    law: "STOPPED",
    rules: { stopsEffects: false },
    bounds: SLOW,
  },
  {
    name: "an owner that takes an unended effect for one that never started",
    law: "RECORDED",
    rules: {
      recordsAtOpening: () => [],
      nextRecords: (known, effects) => {
        for (let effect = 0; effect < effects; effect += 1)
          if (!known.some((record) => record.kind !== "start" && record.effect === effect))
            return [{ kind: "start", effect }];
        return [];
      },
    },
    bounds: KILL,
  },
  {
    name: "an owner that says nothing of an unended effect",
    law: "UNCERTAIN",
    rules: { recordsAtOpening: () => [] },
    bounds: { ...KILL, effects: 2 },
  },
  {
    name: "an owner that takes an ended effect for unended",
    law: "UNCERTAIN",
    rules: {
      recordsAtOpening: (known) =>
        known.filter(({ kind }) => kind === "start").map(({ effect }) => ({ kind: "uncertain", effect })),
    },
    bounds: KILL,
  },
  {
    name: "an owner that takes an unended effect for ended",
    law: "UNCERTAIN",
    rules: {
      recordsAtOpening: (known) =>
        OWNERSHIP_RULES.recordsAtOpening(known).map(({ effect }) => ({ kind: "end", effect })),
    },
    bounds: KILL,
  },
  {
    name: "a driver that continues although another one wrote in between",
    law: "RECORDED",
    rules: { claim: claimMachine.provide({ guards: { isUnknown: () => true } }), executedOf: () => 0 },
    bounds: SLOW,
  },
  {
    name: "a database that answers an append and does not keep it",
    law: "TAKEN",
    rules: {
      execute: (database, statement, ticks) =>
        statement.type === "append"
          ? { ...execute(database, statement, ticks), database }
          : execute(database, statement, ticks),
    },
    bounds: SLOW,
  },
  {
    name: "a driver that takes an append for durable as it is sent",
    law: "KNOWN",
    rules: {
      claim: claimMachine.provide({
        actions: {
          noteBytes: assign({
            writing: 0,
            known: ({ context: { known }, event }) =>
              event.type === "append.sent" && known !== undefined
                ? { ...known, length: known.length + event.bytes }
                : known,
          }),
        },
      }),
    },
    bounds: SLOW,
  },
  {
    name: "a registration that never counts",
    law: "TAKEN",
    rules: { lease: leaseMachine.provide({ guards: { isInTime: () => false } }) },
    bounds: SLOW,
  },
];
