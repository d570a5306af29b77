import { vi } from "vitest";
import type { Outcome } from "../../machines/tool-call/call.ts";
import { type JournalDriver, type LedgerEntry, readJournal } from "../../store/index.ts";
import { encodeLine } from "../../store/journal/line.ts";
import type { LedgerPosition } from "../../store/ledger/entry.ts";
import type { LedgerFile as File, LockedLedger } from "../../store/ledger/ledger-file.ts";
import type { JournalDraft } from "../../wire/journal/record.ts";
import { faultyStep } from "./faulty-step.ts";
import type { LedgerBounds, LedgerCode } from "./ledger-exploration.ts";
import type { Fault } from "./seeded-faults.ts";

// biome-ignore lint/suspicious/noExplicitAny: a fault replaces a function of any kind.
type Module = Record<string, any>;

/** A deliberate bug in what appends to a ledger. */
export interface LedgerFault {
  readonly name: string;
  /** Replaces exports of one file under store/ledger/. */
  readonly file?: string;
  readonly replace?: (original: Module) => Module;
  readonly bounds?: Partial<LedgerBounds>;
}

const FORK: Partial<LedgerBounds> = {
  processes: [
    [{ commit: "t1", files: ["a"] }],
    [
      { fork: "t1", as: "t2" },
      { commit: "t2", files: ["b"] },
    ],
  ],
};

/** A ledger file whose locked part is another one. */
const lockedAs =
  (change: (ledger: LockedLedger) => Partial<LockedLedger>) =>
  ({ LedgerFile }: Module): Module => ({
    LedgerFile: class extends (LedgerFile as typeof File) {
      override update<T>(work: (ledger: LockedLedger) => Promise<T>): Promise<T> {
        return super.update((ledger) => work({ ...ledger, ...change(ledger) }));
      }
    },
  });

/** Encodes a line after another one than the last of its task. */
const encodedAfter =
  (previous: (entry: LedgerEntry, previous: string | null) => string | null) =>
  ({ encodeEntry }: Module): Module => ({
    encodeEntry: (entry: LedgerEntry, last: string | null) => encodeEntry(entry, previous(entry, last)),
  });

/** Reads another record from a journal. */
const readAs =
  (change: (record: JournalDraft) => JournalDraft) =>
  ({ entriesOf }: Module): Module => ({
    entriesOf: (task: string, driver: Pick<JournalDriver, "path" | "read">) =>
      entriesOf(task, {
        path: driver.path,
        async *read() {
          for await (const record of readJournal(driver, { onTail: () => undefined }))
            yield Buffer.from(`${encodeLine(change(record))}\n`);
        },
      }),
  });

export const LEDGER_FAULTS: readonly LedgerFault[] = [
  {
    name: "lines appended again after a crash",
    file: "ledger-file.ts",
    replace: lockedAs(() => ({ newest: () => undefined })),
  },
  {
    name: "lines not appended after a crash",
    file: "task-ledger.ts",
    replace: ({ TaskLedger }) => ({
      TaskLedger: class extends TaskLedger {
        async catchUp(): Promise<void> {}
      },
    }),
  },
  {
    name: "only the newest line appended after a crash",
    file: "ledger-file.ts",
    replace: lockedAs(({ append }) => ({
      append: (entries) => append(entries.slice(-1)),
    })),
  },
  {
    name: "files of one record in another order",
    file: "ledger-file.ts",
    replace: lockedAs(({ append }) => ({ append: (entries) => append(entries.toReversed()) })),
  },
  {
    name: "rest of a record left out whose first line was appended",
    file: "entry.ts",
    replace: () => ({
      comparePositions: (one: LedgerPosition, other: LedgerPosition) => one.sequence - other.sequence,
    }),
  },
  {
    name: "first of several files left out",
    file: "derivation.ts",
    replace: ({ LedgerDerivation }) => ({
      LedgerDerivation: class extends LedgerDerivation {
        apply(record: JournalDraft): readonly LedgerEntry[] {
          const entries = super.apply(record);
          return entries.length > 1 ? entries.slice(1) : entries;
        }
      },
    }),
  },
  {
    name: "line of a write that was not committed",
    file: "task-ledger.ts",
    replace: ({ TaskLedger }) => ({
      TaskLedger: class extends TaskLedger {
        add(record: JournalDraft): void {
          super.add(record);
          // The next commit, as if it were durable already.
          super.add({ ...record, seq: record.seq + 1 });
        }
      },
    }),
  },
  {
    name: "writes of the original task recorded for a fork",
    file: "derivation.ts",
    replace: readAs((record) => {
      if (record.kind !== "header") return record;
      const { forkedFrom: _, ...header } = record;
      return header;
    }),
    bounds: FORK,
  },
  {
    name: "new writes of a fork taken for those of the original task",
    file: "derivation.ts",
    replace: readAs((record) =>
      record.kind === "header" && record.forkedFrom !== undefined
        ? { ...record, forkedFrom: { ...record.forkedFrom, seq: record.forkedFrom.seq + 1 } }
        : record,
    ),
    bounds: FORK,
  },
  {
    name: "chain begun anew by each line",
    file: "line.ts",
    replace: encodedAfter(() => null),
  },
  {
    name: "chain that goes on with the line of another task",
    file: "line.ts",
    replace: (original) => {
      let last: string | null = null;
      return {
        encodeEntry: (entry: LedgerEntry, previous: string | null) => {
          const line = original.encodeEntry(entry, previous === null ? null : last);
          last = line.hash;
          return line;
        },
      };
    },
  },
  { name: "lock ignored", bounds: { lockless: true } },
  {
    name: "incomplete last line taken for whole",
    file: "line.ts",
    replace: ({ decodeLedgerLine }) => ({
      decodeLedgerLine: (bytes: Uint8Array) => {
        const decoded = decodeLedgerLine(bytes);
        return decoded.line === undefined
          ? { whole: true, line: { task: "t9", hash: "", sequence: 0, part: 1 } }
          : decoded;
      },
    }),
  },
  {
    name: "end of a record without its newline taken for torn",
    file: "line.ts",
    replace: ({ decodeLedgerLine }) => ({
      decodeLedgerLine: (bytes: Uint8Array) => {
        const decoded = decodeLedgerLine(bytes);
        return decoded.whole ? { ...decoded, line: { ...decoded.line, task: "t9" } } : decoded;
      },
    }),
  },
];

const HOOKED = {
  law: "LEDGER",
  bounds: { turns: 1, queued: 0, interruptions: 1, hooks: true, tools: ["write"] },
  input: { hooks: ["afterTool"] },
} as const satisfies Partial<Fault>;

const writesIn = ({ writes }: Outcome) => (writes === undefined ? {} : { writes });

/** Deliberate bugs in what the machine records of writes. */
export const RECORD_FAULTS: readonly Fault[] = [
  {
    name: "writes of a call not recorded",
    law: "LEDGER",
    file: "task/hooks.ts",
    replace: ({ endCall }) => ({
      endCall: (change: unknown, call: unknown, { writes: _, ...outcome }: Outcome, notice: unknown) =>
        endCall(change, call, outcome, notice),
    }),
  },
  {
    ...HOOKED,
    name: "writes of a call lost whose result hooks see",
    ...faultyStep("ended", (step) => (...of) => {
      const { writes: _, ...call } = step(...of);
      return call;
    }),
  },
  {
    ...HOOKED,
    name: "writes recorded again with the result that hooks allowed",
    ...faultyStep("ended", (step) => (call, event) => {
      const ended = step(call, event);
      return { ...ended, outcome: { ...ended.outcome, ...writesIn(event.outcome) } };
    }),
  },
  {
    ...HOOKED,
    name: "writes recorded again with the result that a cancel withholds",
    ...faultyStep("ended", (step) => (call, event) => {
      const ended = step(call, event);
      return { ...ended, unseen: { ...ended.unseen, ...writesIn(event.outcome) } };
    }),
  },
];

/** The code with this fault. */
export async function withLedgerFault({ name, file, replace }: LedgerFault): Promise<LedgerCode> {
  vi.resetModules();
  const path = `../../store/ledger/${file}`;
  let isReplaced = file === undefined;
  if (file !== undefined && replace !== undefined)
    vi.doMock(path, async (importOriginal) => {
      const all = await importOriginal<Module>();
      isReplaced = true;
      return { ...all, ...replace(all) };
    });
  const { LedgerFile } = await import("../../store/ledger/ledger-file.ts");
  const { TaskLedger } = await import("../../store/ledger/task-ledger.ts");
  vi.doUnmock(path);
  if (!isReplaced)
    throw new Error(`Nothing imports store/ledger/${file}. Correct the file of fault "${name}".`);
  return { LedgerFile, TaskLedger };
}
