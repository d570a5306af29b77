import {
  type ActorScope,
  type AnyTransitionDefinition,
  createActor,
  type ExecutableActionObject,
  type SnapshotFrom,
} from "xstate";
import { fromPassive, type RecordedLists, toPassive } from "../machines/task/passivation.ts";
import type { TaskInput } from "../machines/task/task.context.ts";
import type { TaskEmitted, TaskEvent } from "../machines/task/task.events.ts";
import type { taskMachine } from "../machines/task/task.machine.ts";

type Machine = typeof taskMachine;
type Snapshot = SnapshotFrom<Machine>;

/** A macrostep: its snapshot, the actions to execute, and the transitions taken. */
export interface MachineStep {
  readonly snapshot: Snapshot;
  readonly actions: readonly ExecutableActionObject[];
  readonly transitions: readonly AnyTransitionDefinition[];
}

/**
 * Runs macrosteps of many tasks on one machine. XState's pure functions create an actor per macrostep; this shares
 * one, which is never started. No action is executed.
 */
export class MachineRunner {
  readonly #machine: Machine;
  readonly #scope: ActorScope<Snapshot, TaskEvent, ReturnType<typeof createActor>["system"], TaskEmitted>;
  #actions: ExecutableActionObject[] = [];
  #transitions: AnyTransitionDefinition[] = [];

  constructor(machine: Machine, input: TaskInput) {
    this.#machine = machine;
    const self = createActor(machine, { input });
    const noop = (): void => {};
    self.system.inspect((event) => {
      if (event.type === "@xstate.microstep") this.#transitions.push(...event._transitions);
    });
    this.#scope = {
      self,
      id: self.id,
      sessionId: self.sessionId,
      system: self.system,
      logger: noop,
      defer: noop,
      emit: noop,
      stopChild: noop,
      actionExecutor: (action) => this.#actions.push(action),
    };
  }

  /** Run the initial macrostep. @throws Error of the machine */
  start(input: TaskInput): MachineStep {
    return this.#record(() => this.#machine.getInitialSnapshot(this.#scope, input));
  }

  /** Run the macrostep of `event`. @throws Error of the machine */
  transition(from: Snapshot, event: TaskEvent): MachineStep {
    return this.#record(() => this.#machine.transition(from, event, this.#scope));
  }

  /** The snapshot of a task that was passivated here and activated (law PASSIVE). */
  activate(snapshot: Snapshot, input: TaskInput, recorded: RecordedLists): Snapshot {
    const persisted = fromPassive(toPassive(snapshot, input), input, recorded);
    return this.#machine.restoreSnapshot(persisted as Parameters<Machine["restoreSnapshot"]>[0], this.#scope);
  }

  #record(step: () => Snapshot): MachineStep {
    const actions: ExecutableActionObject[] = [];
    const transitions: AnyTransitionDefinition[] = [];
    this.#actions = actions;
    this.#transitions = transitions;
    return { snapshot: step(), actions, transitions };
  }
}
