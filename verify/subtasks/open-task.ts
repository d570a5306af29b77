import type { SnapshotFrom } from "xstate";
import { dottedPath } from "../../machines/message/states.ts";
import {
  applyParts,
  type CommitParts,
  emittedBy,
  emptyParts,
  emptyRecordedState,
  partsOf,
} from "../../machines/task/commit.ts";
import type { RecordedState, ReopenedTask, TaskInput } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { taskMachine } from "../../machines/task/task.machine.ts";
import type { SubtaskOutcome } from "../../machines/tool-call/call.ts";
import type { CoverageMeter } from "../coverage.ts";
import { MachineRunner, type MachineStep } from "../runner.ts";

type Machine = typeof taskMachine;

/** One commit of a task, as its journal records it. */
export interface PairCommit extends CommitParts {
  readonly after: string;
  readonly cause: TaskEvent | undefined;
}

/** A journal on disk: what its commits record, folded. */
export interface PairJournal {
  readonly recorded: RecordedState;
  /** The state after the last commit. */
  readonly state: string;
  /** The first outcome of the task as a subtask. */
  readonly outcome: SubtaskOutcome | undefined;
}

/** A task that is open in a process. */
export interface OpenTask {
  readonly snapshot: SnapshotFrom<Machine>;
  /** Commits that are not durable, oldest first. */
  readonly pending: readonly PairCommit[];
  /** Effects that wait for their commit. */
  readonly waiting: readonly string[];
  /** Effects that run. */
  readonly active: readonly string[];
}

const STOPPED: OpenTask["active"] = [];

/** Runs the shipped machine for one of two tasks, with the commit gate: what it started runs once that is durable. */
export class TaskRunner {
  readonly #runner: MachineRunner;
  readonly #input: TaskInput;
  readonly #meter: CoverageMeter;

  constructor(machine: Machine, input: TaskInput, meter: CoverageMeter) {
    this.#runner = new MachineRunner(machine, input);
    this.#input = input;
    this.#meter = meter;
  }

  create(budget?: TaskInput["budget"]): OpenTask {
    const step = this.#runner.start({ ...this.#input, ...(budget !== undefined && { budget }) });
    return this.#committed({ pending: [], waiting: STOPPED, active: STOPPED }, step, undefined);
  }

  open(reopened: ReopenedTask, budget?: TaskInput["budget"]): OpenTask {
    const step = this.#runner.start({ ...this.#input, ...(budget !== undefined && { budget }), reopened });
    const cause = { type: "task.recovered", at: reopened.openedAt } as const;
    return this.#committed({ pending: [], waiting: STOPPED, active: STOPPED }, step, cause);
  }

  /** Run the macrosteps of these events. */
  send(task: OpenTask, ...events: readonly TaskEvent[]): OpenTask {
    return events.reduce(
      (before, event) => this.#committed(before, this.#runner.transition(before.snapshot, event), event),
      task,
    );
  }

  #committed(
    { pending, waiting, active }: Omit<OpenTask, "snapshot">,
    { snapshot, actions, transitions }: MachineStep,
    cause: TaskEvent | undefined,
  ): OpenTask {
    if (snapshot.status === "error") throw snapshot.error;
    this.#meter.note(transitions, snapshot);
    const emitted = emittedBy(actions);
    this.#meter.noteCalls(emitted);
    const parts = partsOf(emitted);
    if (parts === undefined) return { snapshot, pending, waiting, active };
    const commit = { ...emptyParts, ...parts, after: dottedPath(snapshot.value), cause };
    const effects = new Set(waiting);
    const running = new Set(active);
    for (const { type, id } of commit.effects) {
      effects.delete(id);
      running.delete(id);
      if (type === "effect.started") effects.add(id);
    }
    return { snapshot, pending: [...pending, commit], waiting: [...effects], active: [...running] };
  }
}

/** The task once its commits are durable: what waited for them runs. */
export const flushed = (task: OpenTask): OpenTask => ({
  ...task,
  pending: [],
  waiting: STOPPED,
  active: [...task.active, ...task.waiting],
});

export const EMPTY_JOURNAL: PairJournal = {
  recorded: emptyRecordedState,
  state: "no_task",
  outcome: undefined,
};

/** The journal with these commits. `outcomeOf` says which outcome a commit gives a subtask. */
export function written(
  journal: PairJournal,
  commits: readonly PairCommit[],
  outcomeOf: (commit: PairCommit) => SubtaskOutcome | undefined,
): PairJournal {
  return commits.reduce(
    ({ recorded, outcome }, commit) => ({
      recorded: applyParts(recorded, commit),
      state: commit.after,
      outcome: outcome ?? outcomeOf(commit),
    }),
    journal,
  );
}

/** The dotted path of the state of an open task. */
export const stateOf = ({ snapshot }: OpenTask): string => dottedPath(snapshot.value);
