import { assign } from "xstate";
import { inboxMachine } from "../../../machines/ownership/inbox.machine.ts";
import { executeInbox } from "../../../verify/ownership/inbox-database.ts";
import type { InboxExplorationOptions } from "../../../verify/ownership/inbox-exploration.ts";
import type { InboxRules } from "../../../verify/ownership/inbox-rules.ts";
import type { InboxDatabase, InboxStatement } from "../../../verify/ownership/inbox-world.ts";

/** A deliberate bug in the delivery of commands, and the smallest bounds in which a law finds it. */
export interface InboxFault {
  readonly name: string;
  readonly law: string;
  readonly rules: Partial<InboxRules>;
  readonly bounds: InboxExplorationOptions;
}

const NONE: InboxExplorationOptions = { workers: 1 };
const BUSY: InboxExplorationOptions = { workers: 1, isBusy: true };
const KILL: InboxExplorationOptions = { commands: 1, faults: { kills: 1 } };

/** A database that executes the statements of one type in another way. */
const executing =
  (
    type: InboxStatement["type"],
    change: (
      database: InboxDatabase,
      worker: number,
      statement: InboxStatement,
    ) => ReturnType<typeof executeInbox>,
  ): InboxRules["execute"] =>
  (database, worker, statement, isOwned) =>
    statement.type === type
      ? change(database, worker, statement)
      : executeInbox(database, worker, statement, isOwned);

const withRemoved = (database: InboxDatabase): InboxDatabase => ({
  ...database,
  rows: database.rows.map((row) => ({ ...row, isRemoved: true })),
});

const reversedRead = executing("read", (database, worker, statement) => {
  const { answer } = executeInbox(database, worker, statement, true);
  return {
    database,
    answer: answer.type === "read" ? { ...answer, rows: answer.rows.toReversed() } : answer,
  };
});

const unfenced = executing("append", (database, _, statement) => ({
  database:
    statement.type === "append"
      ? { ...database, records: [...database.records, ...statement.records] }
      : database,
  answer: { type: "appended" },
}));

export const INBOX_FAULTS: readonly InboxFault[] = [
  {
    name: "a position that is recorded after the effect, by an append of its own",
    law: "ONCE",
    rules: { recordsOf: (position, effect) => [{ effect }, { position }], appended: () => 1 },
    bounds: KILL,
  },
  {
    name: "a position that is recorded before the effect, by an append of its own",
    law: "KEPT",
    rules: { recordsOf: (position, effect) => [{ position }, { effect }], appended: () => 1 },
    bounds: KILL,
  },
  {
    name: "an effect without a position",
    law: "ONCE",
    rules: { recordsOf: (_, effect) => [{ effect }] },
    bounds: KILL,
  },
  {
    name: "commands that are removed as they are read",
    law: "KEPT",
    rules: {
      execute: executing("read", (database, worker, statement) => ({
        ...executeInbox(database, worker, statement, true),
        database: withRemoved(database),
      })),
    },
    bounds: NONE,
  },
  {
    name: "a removal of more commands than were taken",
    law: "TAKEN",
    rules: {
      execute: executing("remove", (database) => ({
        database: withRemoved(database),
        answer: { type: "removed" },
      })),
    },
    bounds: NONE,
  },
  {
    name: "an owner that begins behind the position of the journal",
    law: "TAKEN",
    rules: { takenIn: (records) => (records.at(-1)?.position ?? 0) + 1 },
    bounds: NONE,
  },
  {
    name: "an owner that ignores the position of the journal",
    law: "ONCE",
    rules: { takenIn: () => 0 },
    bounds: KILL,
  },
  {
    name: "a delivery that reads again from where it began",
    law: "ONCE",
    rules: {
      machine: inboxMachine.provide({
        actions: { noteTaken: assign({ waiting: ({ context }) => context.waiting.slice(1) }) },
      }),
    },
    bounds: NONE,
  },
  {
    name: "a gap of notifications after which nothing is read",
    law: "TAKEN",
    rules: { reportsGaps: false },
    bounds: { ...BUSY, faults: { gaps: 1 } },
  },
  {
    name: "a put that notifies nobody",
    law: "TAKEN",
    rules: { notifies: false },
    bounds: BUSY,
  },
  {
    name: "a put without a wake",
    law: "TAKEN",
    rules: { wakes: false },
    bounds: NONE,
  },
  {
    name: "a wake that is done before the inbox was read",
    law: "TAKEN",
    rules: { waitsForInbox: false },
    bounds: NONE,
  },
  {
    name: "a claim that waits for a killed owner",
    law: "WOKEN",
    rules: {
      execute: (database, worker, statement) =>
        executeInbox(database, worker, statement, database.owner !== undefined),
    },
    bounds: KILL,
  },
  {
    name: "a wake that is lost with its worker",
    law: "TAKEN",
    rules: { redelivers: false },
    bounds: KILL,
  },
  {
    name: "a statement that failed and is not repeated",
    law: "TAKEN",
    rules: { retries: false },
    bounds: { ...BUSY, faults: { cuts: 1 } },
  },
  {
    name: "a position that is used again after a removal",
    law: "POSITIONS",
    rules: {
      put: (database, id) => {
        const waiting = database.rows.filter(({ isRemoved }) => !isRemoved);
        const row = { position: (waiting.at(-1)?.position ?? 0) + 1, id, isRemoved: false };
        return { ...database, rows: [...database.rows, row] };
      },
    },
    bounds: NONE,
  },
  {
    name: "a put that forgets the ids of removed commands",
    law: "ONCE",
    rules: {
      put: (database, id) => {
        const isKnown = database.rows.some((row) => row.id === id && !row.isRemoved);
        const row = { position: (database.rows.at(-1)?.position ?? 0) + 1, id, isRemoved: false };
        return isKnown ? database : { ...database, rows: [...database.rows, row] };
      },
    },
    bounds: { ...NONE, commands: 1, faults: { duplicates: 1 } },
  },
  {
    name: "a claim and an append that do not ask who owns the task",
    law: "ONCE",
    rules: {
      execute: (database, worker, statement) => unfenced(database, worker, statement, false),
    },
    bounds: { commands: 1, faults: { duplicates: 1 } },
  },
  {
    name: "an append of an owner whose lease has ended",
    law: "ONCE",
    rules: { execute: unfenced },
    bounds: { commands: 1, faults: { losses: 1 } },
  },
  {
    name: "a delivery that takes the newest command first",
    law: "KEPT",
    rules: { execute: reversedRead },
    bounds: NONE,
  },
  {
    name: "a delivery that takes the newest command first, and records only the position of the oldest",
    law: "ORDER",
    rules: {
      execute: reversedRead,
      recordsOf: (position, effect) => (position === 1 ? [{ effect, position }] : [{ effect }]),
    },
    bounds: NONE,
  },
];
