import type { taskMachine } from "../../machines/task/task.machine.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { GrowingJournal } from "../../store/journal/growing-journal.ts";
import { chartOf } from "../../visualize/chart/chart-of.ts";
import { ancestry, EdgePaths, type TakenRow } from "../../visualize/page/model/edge-paths.ts";
import { isWithin } from "../../visualize/page/model/state.ts";
import type { RecordedCount, RecordedTasks } from "../../wire/http/verification.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";

/** How often recorded tasks took each transition. A journal does not record the transitions of tool calls. */
export interface RecordedCounts {
  readonly tasks: RecordedTasks;
  /** By edge, event and guard: see {@link transitionKey}. */
  readonly transitions: ReadonlyMap<string, RecordedCount>;
}

/** The key of a transition of the task machine. */
export const transitionKey = (edge: string, event: string, guard: string): string =>
  [edge, event === "always" ? "" : event, guard].join("\n");

/**
 * Counts the transitions in journals. Each record is read once: a journal that is added again is read from the end of
 * the last record. A damaged journal is read from its beginning.
 */
export class TransitionCounter {
  readonly #edgePaths: EdgePaths;
  readonly #tasks = new Map<string, CountedTask>();
  readonly #damaged = new Set<string>();
  readonly #total = new Tally();

  constructor(machine: typeof taskMachine) {
    this.#edgePaths = new EdgePaths(chartOf(machine));
  }

  /** The names of the counted tasks. */
  get names(): Iterable<string> {
    return this.#tasks.keys();
  }

  get counts(): RecordedCounts {
    const { tasks, events, states, rows } = this.#total;
    const edges = new Map<string, number>();
    const transitions = new Map<string, RecordedCount>();
    for (const [{ edge, rows: among }, count] of rows) {
      increase(edges, edge, count);
      for (const { event, guard = "" } of among) {
        const key = transitionKey(edge, event, guard);
        const { times, perhaps } = transitions.get(key) ?? { times: 0, perhaps: 0 };
        const isCertain = among.length === 1;
        transitions.set(
          key,
          isCertain ? { times: times + count, perhaps } : { times, perhaps: perhaps + count },
        );
      }
    }
    return {
      transitions,
      tasks: {
        tasks,
        events,
        states: Object.fromEntries(states),
        edges: Object.fromEntries(edges),
        damaged: [...this.#damaged],
      },
    };
  }

  /**
   * Count what a task recorded since it was added last. `open` opens its journal the first time.
   * @throws JournalError the codes of reading
   */
  async add(name: string, open: () => Pick<JournalDriver, "path" | "read" | "readAfter">): Promise<void> {
    const task = this.#tasks.get(name) ?? { journal: new GrowingJournal(open()), tally: new Tally() };
    this.#tasks.set(name, task);
    const growth = new Tally();
    for await (const record of task.journal.read()) {
      // The journal is read from its beginning: for the first time, or because it was replaced.
      if (record.kind === "header") this.#restart(task);
      this.#count(record, growth);
    }
    task.tally.add(growth);
    this.#total.add(growth);
    if (task.journal.tail?.kind === "damaged") this.#damaged.add(name);
    else this.#damaged.delete(name);
  }

  /** A task's journal can't be read: what was counted of it stays. */
  addDamaged(name: string): void {
    this.#damaged.add(name);
  }

  /** Forget a task. */
  remove(name: string): void {
    const task = this.#tasks.get(name);
    if (task !== undefined) this.#restart(task);
    this.#tasks.delete(name);
    this.#damaged.delete(name);
  }

  #restart(task: CountedTask): void {
    this.#total.add(task.tally, -1);
    task.tally = new Tally();
  }

  #count(record: JournalRecord, tally: Tally): void {
    tally.events += 1;
    if (record.kind === "header") tally.tasks += 1;
    if (record.kind !== "commit") return;
    const { before, after } = record;
    for (const state of ancestry(after)) if (!isWithin(before, state)) increase(tally.states, state, 1);
    for (const row of this.#edgePaths.taken({ record }).rows) increase(tally.rows, row, 1);
  }
}

interface CountedTask {
  readonly journal: GrowingJournal;
  tally: Tally;
}

/** The entries of states and the taken transitions of some records. */
class Tally {
  tasks = 0;
  events = 0;
  readonly states = new Map<string, number>();
  readonly rows = new Map<TakenRow, number>();

  add({ tasks, events, states, rows }: Tally, sign: 1 | -1 = 1): void {
    this.tasks += sign * tasks;
    this.events += sign * events;
    for (const [state, count] of states) increase(this.states, state, sign * count);
    for (const [row, count] of rows) increase(this.rows, row, sign * count);
  }
}

function increase<T>(counts: Map<T, number>, key: T, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
