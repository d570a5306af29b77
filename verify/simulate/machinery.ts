import {
  type ActorScope,
  type AnyTransitionDefinition,
  createActor,
  type ExecutableActionObject,
  initialTransition,
  type SnapshotFrom,
} from "xstate";
import type { TaskEmitted, TaskEvent, TaskInput, taskMachine } from "../../machines/task/index.ts";
import { forTransitions } from "../microsteps.ts";

type Machine = typeof taskMachine;
type Snapshot = SnapshotFrom<Machine>;

/** Where a macrostep led, what is to be executed, and by which rows of the machine's table. */
export interface Taken {
  readonly snapshot: Snapshot;
  readonly actions: readonly ExecutableActionObject[];
  readonly rows: readonly AnyTransitionDefinition[];
}

/**
 * One machine, taking the macrosteps of many tasks. XState's own pure functions make an actor for each macrostep;
 * here one stands for all of them. It is never started, and nothing that is to be executed is.
 */
export class Machinery {
  /** The machine, for XState's pure functions. */
  readonly machine: Machine;
  readonly #scope: ActorScope<Snapshot, TaskEvent, ReturnType<typeof createActor>["system"], TaskEmitted>;
  #actions: ExecutableActionObject[] = [];
  #rows: AnyTransitionDefinition[] = [];

  constructor(machine: Machine, input: TaskInput) {
    this.machine = forTransitions(machine, initialTransition(machine, input)[0]);
    const self = createActor(this.machine, { input });
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

  /** A task to which nothing has happened. */
  begin(input: TaskInput): Snapshot {
    return this.machine.getInitialSnapshot(this.#scope, input);
  }

  /** The macrostep that `event` leads to. @throws whatever the machine throws */
  take(snapshot: Snapshot, event: TaskEvent): Taken {
    const actions: ExecutableActionObject[] = [];
    const rows: AnyTransitionDefinition[] = [];
    this.#actions = actions;
    this.#rows = rows;
    return { snapshot: this.machine.transition(snapshot, event, this.#scope), actions, rows };
  }
}
