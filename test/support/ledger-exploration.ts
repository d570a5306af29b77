import { createHash } from "node:crypto";
import { systemClock } from "../../actors/index.ts";
import { encodeLine } from "../../store/journal/line.ts";
import type { LedgerFile } from "../../store/ledger/ledger-file.ts";
import type { LedgerStorage, LockedBytes } from "../../store/ledger/ledger-storage.ts";
import type { TaskLedger } from "../../store/ledger/task-ledger.ts";
import type { JournalDraft } from "../../wire/journal/record.ts";
import { fileWrite, header, settled } from "../store/ledger/ledger-rig.ts";
import { ledgerViolation } from "./ledger-law.ts";

/** The code that is explored. */
export interface LedgerCode {
  readonly LedgerFile: typeof LedgerFile;
  readonly TaskLedger: typeof TaskLedger;
}

/** What a process does next: a task commits a call that wrote these files, or it forks a task and opens the fork. */
export type Action =
  | { readonly commit: string; readonly files: readonly string[] }
  | { readonly fork: string; readonly as: string };

export interface LedgerBounds {
  /** The actions of each process. */
  readonly processes: readonly (readonly Action[])[];
  /** Processes that are killed, each at any point. */
  readonly kills: number;
  /** Failures of the power, which end all processes. What was not synchronized may be lost from any byte on. */
  readonly powerFailures: number;
  /** Whether the lock keeps nobody out: a fault. */
  readonly lockless?: boolean;
}

export interface LedgerExploration {
  readonly states: number;
  readonly steps: number;
  readonly violation?: { readonly what: string; readonly path: readonly string[] };
}

/**
 * Explore all schedules of processes that share a ledger, with their ends at each point. The ledger is in memory; what
 * appends to it is the shipped code. The law LEDGER is checked in every state.
 */
export async function exploreLedger(code: LedgerCode, bounds: LedgerBounds): Promise<LedgerExploration> {
  const seen = new Set<string>();
  const open: (readonly number[])[] = [[]];
  let steps = 0;
  for (let prefix = open.pop(); prefix !== undefined; prefix = open.pop()) {
    const walk = new Walk(new World(code, bounds));
    for (const choice of prefix) await walk.step(choice);
    for (;;) {
      const options = await walk.options();
      const what = walk.world.violation(options.length === 0);
      if (what !== undefined) return { states: seen.size, steps, violation: { what, path: walk.path } };
      const isKnown = seen.has(walk.world.key);
      seen.add(walk.world.key);
      if (isKnown || options.length === 0) break;
      for (let other = options.length - 1; other > 0; other -= 1) open.push([...walk.choices, other]);
      await walk.step(0);
      steps += 1;
    }
  }
  return { states: seen.size, steps };
}

/** A path through the states of a world. */
class Walk {
  readonly world: World;
  readonly choices: number[] = [];
  readonly path: string[] = [];

  constructor(world: World) {
    this.world = world;
  }

  async options(): Promise<readonly Option[]> {
    await settle();
    return this.world.options();
  }

  async step(choice: number): Promise<void> {
    const option = (await this.options())[choice];
    if (option === undefined)
      throw new Error("A replayed path has other options: the code is not deterministic.");
    option.take();
    this.choices.push(choice);
    this.path.push(option.name);
  }
}

/** Everything but a process that waits for its next operation has run by then: nothing uses the disk or a timer. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Option {
  readonly name: string;
  readonly take: () => void;
}

/** An operation on the ledger that a process waits for. */
interface Operation {
  readonly kind: string;
  /** Bytes that it appends: it may end within them. */
  readonly bytes?: Uint8Array;
  readonly run: () => void;
}

interface TaskRecords {
  readonly records: JournalDraft[];
  /** The lines that must be in the ledger, in order, and of how many records. */
  readonly expected: string[];
}

/** A process, from its start to its end. */
class Process {
  readonly name: string;
  readonly file: LedgerFile;
  readonly ledgers = new Map<string, TaskLedger>();
  readonly tasks: Set<string>;
  actions: readonly Action[];
  /** Tasks that it must open first. */
  reopens: readonly string[];
  waiting: Operation | undefined;
  isBusy = false;
  isAlive = true;
  /** Digest of what it has seen: it determines the state of its objects. */
  seen = "";

  constructor(
    name: string,
    actions: readonly Action[],
    tasks: readonly string[],
    open: (process: Process) => LedgerFile,
  ) {
    this.name = name;
    this.actions = actions;
    this.tasks = new Set(tasks);
    this.reopens = tasks;
    this.file = open(this);
  }

  get isIdle(): boolean {
    return !this.isBusy && this.waiting === undefined;
  }

  see(what: string): void {
    this.seen = createHash("sha1").update(this.seen).update(what).digest("hex");
  }
}

class World {
  readonly #code: LedgerCode;
  readonly #isLockless: boolean;
  readonly #tasks = new Map<string, TaskRecords>();
  #processes: Process[];
  #kills: number;
  #powerFailures: number;
  #bytes: Buffer = Buffer.alloc(0);
  /** What is on disk for certain. */
  #durable: Buffer = Buffer.alloc(0);
  #owner: Process | undefined;
  #error: string | undefined;

  constructor(code: LedgerCode, { processes, kills, powerFailures, lockless = false }: LedgerBounds) {
    this.#code = code;
    this.#isLockless = lockless;
    this.#kills = kills;
    this.#powerFailures = powerFailures;
    this.#processes = processes.map((actions, index) => this.#start(`P${index + 1}`, actions, []));
  }

  get key(): string {
    const processes = this.#processes.map(({ actions, seen, waiting, isBusy }) =>
      [actions.length, seen, waiting?.kind, isBusy].join(),
    );
    const records = [...this.#tasks].map(([task, { records }]) => `${task}${records.length}`);
    const disk = [this.#bytes, this.#durable].map((bytes) => bytes.toString("latin1"));
    const budget = [this.#kills, this.#powerFailures, this.#owner?.name, this.#owner?.isAlive];
    return [...processes, ...records, ...disk, ...budget].join("\n");
  }

  options(): readonly Option[] {
    const options: Option[] = [];
    for (const process of this.#processes) {
      const { name, waiting } = process;
      if (waiting !== undefined && (waiting.kind !== "lock" || this.#mayLock))
        options.push({ name: `${name} ${waiting.kind}`, take: () => this.#proceed(process) });
      if (process.isIdle && (process.reopens.length > 0 || process.actions.length > 0))
        options.push(this.#next(process));
    }
    if (this.#kills > 0) for (const process of this.#processes) options.push(...this.#ends(process));
    if (this.#powerFailures > 0) options.push(...this.#powerCuts());
    return options;
  }

  /** What is wrong with the ledger. `isEnd`: nothing is left to do. */
  violation(isEnd: boolean): string | undefined {
    if (this.#error !== undefined) return this.#error;
    const idle = this.#processes.filter(({ isIdle, reopens }) => isIdle && reopens.length === 0);
    if (isEnd && idle.length < this.#processes.length) return "a process waits forever";
    const complete = new Set(idle.flatMap(({ tasks }) => [...tasks]));
    const expected = new Map([...this.#tasks].map(([task, { expected }]) => [task, expected]));
    return ledgerViolation(this.#bytes, { expected, complete, isEnd });
  }

  get #mayLock(): boolean {
    return this.#isLockless || this.#owner?.isAlive !== true;
  }

  #proceed(process: Process): void {
    const { waiting } = process;
    process.waiting = undefined;
    waiting?.run();
  }

  /** The next thing that a process at rest does: it opens its tasks, or takes an action. */
  #next(process: Process): Option {
    const { name, reopens } = process;
    const [action, ...rest] = process.actions;
    const option = (what: string, work: () => Promise<void>): Option => ({
      name: `${name} ${what}`,
      take: () => {
        process.isBusy = true;
        process.see(what);
        work().then(
          () => {
            process.isBusy = false;
          },
          (error: unknown) => {
            this.#error = `${name} failed: ${String(error)}`;
          },
        );
      },
    });
    if (reopens.length > 0 || action === undefined)
      return option(`opens ${reopens.join()}`, async () => {
        for (const task of reopens) await this.#open(process, task, true).catchUp();
        process.reopens = [];
      });
    const take = (): void => {
      process.actions = rest;
    };
    if ("commit" in action)
      return option(`commits ${action.commit}: ${action.files.join()}`, async () => {
        take();
        const record = this.#commit(process, action);
        const ledger = process.ledgers.get(action.commit) ?? this.#open(process, action.commit, false);
        ledger.add(record);
        await ledger.flushed();
      });
    return option(`forks ${action.fork} as ${action.as}`, async () => {
      take();
      this.#fork(process, action);
      await this.#open(process, action.as, true).catchUp();
    });
  }

  /** The ends of a process: where it is, within what it appends, and after a commit of which the ledger knows nothing. */
  #ends(process: Process): readonly Option[] {
    const { waiting, actions, name } = process;
    const [action, ...rest] = actions;
    const end = (how: string, before: () => void, left = actions): Option => ({
      name: `${name} is killed${how}`,
      take: () => {
        before();
        this.#kills -= 1;
        this.#end(process, left);
      },
    });
    if (waiting?.bytes !== undefined)
      return cutsOf(waiting.bytes).map((length) =>
        end(` after ${length} bytes`, () => this.#append(waiting.bytes?.subarray(0, length))),
      );
    if (waiting !== undefined) return [end(` before ${waiting.kind}`, () => {})];
    if (process.isIdle && action !== undefined && "commit" in action && process.reopens.length === 0)
      return [end(` after the record of ${action.commit}`, () => this.#commit(process, action), rest)];
    return [];
  }

  /** A failure of the power, with each end that the file may have then. */
  #powerCuts(): readonly Option[] {
    const isAppended = this.#bytes.subarray(0, this.#durable.length).equals(this.#durable);
    const added = isAppended ? this.#bytes.subarray(this.#durable.length) : Buffer.alloc(0);
    const left = cutsOf(added).map((length) => Buffer.concat([this.#durable, added.subarray(0, length)]));
    return (isAppended ? left : [this.#durable, this.#bytes]).map((bytes) => ({
      name: `the power fails, ${bytes.length} bytes are left`,
      take: () => {
        this.#powerFailures -= 1;
        this.#bytes = bytes;
        this.#durable = bytes;
        for (const process of this.#processes) this.#end(process, process.actions);
      },
    }));
  }

  /** Starts the process anew. Its tasks are opened again. */
  #end(process: Process, actions: readonly Action[]): void {
    process.isAlive = false;
    const next = this.#start(process.name, actions, [...process.tasks]);
    this.#processes = this.#processes.map((one) => (one === process ? next : one));
  }

  #start(name: string, actions: readonly Action[], tasks: readonly string[]): Process {
    const open = (process: Process): LedgerFile =>
      new this.#code.LedgerFile("/w", { clock: systemClock }, this.#storageOf(process));
    return new Process(name, actions, tasks, open);
  }

  #open(process: Process, task: string, isReopened: boolean): TaskLedger {
    const { records } = this.#recordsOf(task);
    const ledger = new this.#code.TaskLedger({
      file: process.file,
      taskId: task,
      driver: {
        path: task,
        async *read() {
          yield Buffer.from(records.map((record) => `${encodeLine(record)}\n`).join(""));
        },
      },
      ...(isReopened && { facts: { model: { provider: "mock", id: "m1" } } }),
      onError: (error) => {
        this.#error = `an error was reported: ${String(error)}`;
      },
    });
    process.ledgers.set(task, ledger);
    return ledger;
  }

  #recordsOf(task: string): TaskRecords {
    const known = this.#tasks.get(task) ?? { records: [header(task)], expected: [] };
    this.#tasks.set(task, known);
    return known;
  }

  #commit({ tasks }: Process, { commit, files }: Extract<Action, { commit: string }>): JournalDraft {
    tasks.add(commit);
    const { records, expected } = this.#recordsOf(commit);
    const record = settled(
      records.length,
      files.map((file) => fileWrite(file)),
    );
    records.push(record);
    expected.push(...files.map((file, index) => `${record.seq}.${index + 1} ${file}`));
    return record;
  }

  #fork({ tasks }: Process, { fork, as }: Extract<Action, { fork: string }>): void {
    tasks.add(as);
    const [, ...shared] = this.#recordsOf(fork).records;
    const first = header(as, { forkedFrom: { taskId: fork, seq: shared.length } });
    this.#tasks.set(as, { records: [first, ...shared], expected: [] });
  }

  #append(bytes: Uint8Array = new Uint8Array()): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
  }

  #storageOf(process: Process): LedgerStorage {
    const wait = <T>(kind: string, apply: () => T, bytes?: Uint8Array): Promise<T> =>
      new Promise((resolve) => {
        const run = (): void => {
          const result = apply();
          process.see(
            `${kind} ${Buffer.isBuffer(result) ? result.toString("latin1") : JSON.stringify(result)}`,
          );
          resolve(result);
        };
        process.waiting = { kind, run, ...(bytes !== undefined && { bytes }) };
      });
    const locked: LockedBytes = {
      stat: () => wait("stat", () => ({ inode: 1, size: this.#bytes.length })),
      read: (start, length) => wait("read", () => Buffer.from(this.#bytes.subarray(start, start + length))),
      append: (bytes) => wait("append", () => this.#append(bytes), bytes),
      cutOff: (start) =>
        wait("cut", () => {
          this.#bytes = this.#bytes.subarray(0, start);
        }),
      sync: () =>
        wait("sync", () => {
          this.#durable = this.#bytes;
        }),
    };
    return {
      isOn: async () => true,
      withLocked: async (work) => {
        await wait("lock", () => {
          this.#owner = process;
        });
        const result = await work(locked);
        await wait("unlock", () => {
          this.#owner = undefined;
        });
        return result;
      },
    };
  }
}

/** Lengths within lines at which an append may end: none, one byte, all but the newline of the first and last line, and whole lines. */
function cutsOf(bytes: Uint8Array): readonly number[] {
  const first = bytes.indexOf(0x0a) + 1;
  const cuts = [0, 1, first - 1, first, bytes.length - 1, bytes.length];
  return [...new Set(cuts.filter((length) => length >= 0 && length <= bytes.length))];
}
