import type { AnyTransitionDefinition, SnapshotFrom } from "xstate";
import type { TaskEvent, taskMachine } from "../../machines/task/index.ts";
import { type Coverage, CoverageMeter } from "../coverage.ts";
import type { Microstep } from "../microsteps.ts";
import { pathOf } from "../path-of.ts";

type Machine = typeof taskMachine;
type Snapshot = SnapshotFrom<Machine>;

/** Notes which states and rows of the machine's table the macrosteps of many tasks took. */
export class TaskMeter {
  readonly #meter: CoverageMeter;
  readonly #noted = new Set<AnyTransitionDefinition>();

  constructor(machine: Machine) {
    this.#meter = new CoverageMeter(machine);
  }

  get coverage(): Coverage {
    return this.#meter.coverage;
  }

  /** A task has begun. */
  begin({ value }: Snapshot): void {
    this.#meter.enter(pathOf(value));
  }

  /**
   * A macrostep took these rows. Where all of them were noted before, and with them the states that they lead to, it
   * tells nothing new; else it is taken apart.
   */
  note(
    from: Snapshot,
    event: TaskEvent,
    rows: readonly AnyTransitionDefinition[],
    microsteps: () => readonly Microstep[],
  ): void {
    if (rows.every((row) => this.#noted.has(row))) return;
    for (const row of rows) this.#noted.add(row);
    this.noteAll(from, event, microsteps());
  }

  /** The same for a macrostep that has been taken apart; `from` is undefined for the first of a process. */
  noteAll(from: Snapshot | undefined, event: TaskEvent, microsteps: readonly Microstep[]): void {
    let at = from;
    for (const [snapshot, actions] of microsteps) {
      if (at !== undefined && (actions.length > 0 || snapshot !== at))
        this.#meter.leave(pathOf(at.value), at, event, at !== from);
      at = snapshot;
      this.#meter.enter(pathOf(at.value));
    }
  }
}
