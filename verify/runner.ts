import {
  type ActorScope,
  type AnyTransitionDefinition,
  createActor,
  type ExecutableActionObject,
  type SnapshotFrom,
} from "xstate";
import type { TaskEmitted, TaskEvent, TaskInput, taskMachine } from "../machines/task/index.ts";

type Machine = typeof taskMachine;
type Snapshot = SnapshotFrom<Machine>;

/** A macrostep: where it led, what is to be executed, and the rows of the machine's table that it took. */
export interface Taken {
  readonly snapshot: Snapshot;
  readonly actions: readonly ExecutableActionObject[];
  readonly rows: readonly AnyTransitionDefinition[];
}

/**
 * One machine, taking the macrosteps of many tasks. XState's own pure functions make an actor for each macrostep;
 * here one stands for all of them. It is never started, and nothing that is to be executed is.
 */
export class MachineRunner {
  readonly #machine: Machine;
  readonly #scope: ActorScope<Snapshot, TaskEvent, ReturnType<typeof createActor>["system"], TaskEmitted>;
  #actions: ExecutableActionObject[] = [];
  #rows: AnyTransitionDefinition[] = [];

  constructor(machine: Machine, input: TaskInput) {
    this.#machine = machine;
    const self = createActor(machine, { input });
    const ignored = (): void => {};
    self.system.inspect((event) => {
      if (event.type === "@xstate.microstep") this.#rows.push(...event._transitions);
    });
    this.#scope = {
      self,
      id: self.id,
      sessionId: self.sessionId,
      system: self.system,
      logger: ignored,
      defer: ignored,
      emit: ignored,
      stopChild: ignored,
      actionExecutor: (action) => this.#actions.push(action),
    };
  }

  /** The first macrostep of a task. @throws whatever the machine throws */
  begin(input: TaskInput): Taken {
    return this.#noting(() => this.#machine.getInitialSnapshot(this.#scope, input));
  }

  /** The macrostep that `event` leads to. @throws whatever the machine throws */
  take(from: Snapshot, event: TaskEvent): Taken {
    return this.#noting(() => this.#machine.transition(from, event, this.#scope));
  }

  #noting(step: () => Snapshot): Taken {
    const actions: ExecutableActionObject[] = [];
    const rows: AnyTransitionDefinition[] = [];
    this.#actions = actions;
    this.#rows = rows;
    return { snapshot: step(), actions, rows };
  }
}

/** The pieces that a macrostep would emit. */
export function emittedBy(actions: readonly { type: string; params?: unknown }[]): readonly TaskEmitted[] {
  const emitted: TaskEmitted[] = [];
  for (const { type, params } of actions)
    if (type === "xstate.emit") emitted.push((params as { event: TaskEmitted }).event);
  return emitted;
}
