import { type Observable, Subject } from "rxjs";
import type { Actor } from "xstate";
import type { AskHandle, OpenAsks } from "../../actors/ask/open-asks.ts";
import type { Log } from "../../machines/message/log.ts";
import { dottedPath, hasNoWork } from "../../machines/message/states.ts";
import { isPassivatable, toPassive } from "../../machines/task/passivation.ts";
import type { TaskInput } from "../../machines/task/task.context.ts";
import type { taskMachine } from "../../machines/task/task.machine.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import type { Gate } from "../../store/gate/gate.ts";
import { type PackedPassiveTask, packPassive } from "../../store/recovery/packed-passive.ts";
import { savePassiveCopy } from "../../store/recovery/passive-copy.ts";
import { type TaskSnapshot, TaskView } from "./task-view.ts";

/** The actors and buffers of a task: what it releases while it is passive. */
export interface Residence {
  /** Not started. */
  readonly actor: Actor<typeof taskMachine>;
  /** The input of the actor, without `reopened`. */
  readonly input: TaskInput;
  readonly gate: Gate<TaskSnapshot>;
  readonly asks: OpenAsks;
  /** Stop the effects and resolve when they have ended; to be closed afterwards. */
  readonly endEffects: () => Promise<void>;
  /** Release what ended effects have left. */
  readonly close: () => void;
  /** Whether a feature of the task depends on the actors. */
  readonly needsActors: () => boolean;
}

/** A task without a residence: its machine's snapshot, without what the journal holds up to record `seq`. */
export interface PassiveState {
  readonly packed: PackedPassiveTask;
  readonly seq: number;
  /** Whether it waits for an answer within a turn. Otherwise it is at rest. */
  readonly hasWork: boolean;
}

/** A passive task that is activated. */
export interface ActivatedState extends PassiveState {
  /** The log that a reader still holds. */
  readonly log: Log | undefined;
}

/** Creates the actors of tasks `T`, and decides when they are released. */
export interface ResidencyOwner<T> {
  readonly driver: JournalDriver;
  /** Create the actors of a new or a passive task. @throws JournalError */
  createResidence(task: T, passive?: ActivatedState): Residence;
  /** Whether nothing but its open ask depends on the actors of a task with this snapshot. */
  mayRelease(task: T, snapshot: TaskSnapshot, residence: Residence): boolean;
  /** Called when the task is used or settles. */
  onUse(task: T): void;
  onPassive(task: T): void;
  /** Called with the error of a task that can't be activated when its journal is lost. */
  readonly onError: (error: unknown) => void;
}

/** The actors of one task, which it has while it works and releases while it is passive (law PASSIVE). */
export class Residency<T> {
  /** The view of the task. Reading its snapshot activates the task. */
  readonly view = new TaskView(this);
  readonly #task: T;
  readonly #owner: ResidencyOwner<T>;
  #form: Residence | PassiveState;
  /** The error of a journal that was lost while the task is passive, until the task is activated. */
  #lost: Error | undefined;
  /** Asks that open from now on, for the subscribers of `asks$`. */
  #openedAsks: Subject<AskHandle> | undefined;

  constructor(task: T, owner: ResidencyOwner<T>) {
    this.#task = task;
    this.#owner = owner;
    this.#form = owner.createResidence(task);
  }

  /** Start the actor of a new or reopened task. No use of the task: it can't be passivated before. */
  start(): void {
    if (!("gate" in this.#form)) return;
    this.#follow(this.#form);
    this.#announceAsks(this.#form);
    this.#form.actor.start();
  }

  /** The actors, without a use of the task. Undefined while it is passive. */
  get resident(): Residence | undefined {
    return "gate" in this.#form ? this.#form : undefined;
  }

  /** Whether the task has started and is not at rest. A passive task stays passive. */
  get hasWork(): boolean {
    return "gate" in this.#form ? isWorking(this.#form.actor.getSnapshot()) : this.#form.hasWork;
  }

  /**
   * The actors, for a use of the task. A passive task is activated: nothing is appended, no transition is taken.
   * @throws JournalError where a passive task can't be read
   */
  use(): Residence {
    const residence = "gate" in this.#form ? this.#form : this.#activate(this.#form);
    this.#owner.onUse(this.#task);
    return residence;
  }

  /** Each ask that opens after the subscription. A passive task stays passive. */
  get openedAsks$(): Observable<AskHandle> {
    if (this.#openedAsks === undefined) {
      this.#openedAsks = new Subject();
      const { resident } = this;
      if (resident !== undefined) this.#announceAsks(resident);
    }
    return this.#openedAsks;
  }

  /** Resolve when every commit so far is durable and shown. @throws JournalError */
  flushed(): Promise<void> {
    return "gate" in this.#form ? this.#form.gate.flushed() : Promise.resolve();
  }

  /**
   * Release the actors, if the task can be passivated now and a copy of its messages can be written. Resolves with
   * whether it is passive.
   */
  async passivate(): Promise<boolean> {
    if (this.resident === undefined) return true;
    const candidate = this.#candidate();
    if (candidate === undefined) return false;
    const { snapshot, seq, storage } = candidate;
    const isSaved = await savePassiveCopy(storage, seq, snapshot.context).then(
      () => true,
      () => false,
    );
    if (!isSaved) return false;
    await this.#owner.driver.release();
    const latest = this.#candidate();
    // Used in the meantime; the result of an effect is a record without a snapshot.
    if (latest?.snapshot !== snapshot || latest.seq !== seq) return false;
    const { residence } = latest;
    const packed = packPassive(toPassive(snapshot, residence.input));
    this.#form = { packed, seq, hasWork: isWorking(snapshot) };
    this.view.detach();
    residence.gate.detach();
    this.#owner.driver.onLost?.((error) => this.#lose(error));
    residence.actor.stop();
    residence.close();
    this.#owner.onPassive(this.#task);
    return true;
  }

  /** The task as it could be passivated now. */
  #candidate() {
    const residence = this.#form;
    const { driver } = this.#owner;
    if (!("gate" in residence) || driver.passive === undefined) return undefined;
    const seq = residence.gate.settledSeq;
    const snapshot = residence.actor.getSnapshot();
    if (seq === undefined || !isPassivatable(snapshot)) return undefined;
    if (!this.#owner.mayRelease(this.#task, snapshot, residence)) return undefined;
    return { residence, snapshot, seq, storage: driver.passive };
  }

  #activate(passive: PassiveState): Residence {
    const residence = this.#owner.createResidence(this.#task, { ...passive, log: this.view.heldLog });
    this.#form = residence;
    this.#follow(residence);
    residence.actor.start();
    // After the start: its open ask was announced before.
    this.#announceAsks(residence);
    const lost = this.#lost;
    this.#lost = undefined;
    if (lost !== undefined) residence.gate.lose(lost);
    return residence;
  }

  /**
   * Keep the error of a lost journal. A task that waits for an answer is activated, and comes to rest as a resident one does;
   * the effects of other tasks stop first.
   */
  #lose(error: Error): void {
    this.#lost = error;
    if (!this.hasWork) return;
    setImmediate(() => {
      try {
        if (this.resident === undefined) this.use();
      } catch (problem) {
        this.#owner.onError(problem);
      }
    });
  }

  #follow({ actor, gate }: Residence): void {
    this.view.attach(actor.getSnapshot());
    gate.onCommit((published) => {
      this.view.show(published);
      if (isPassivatable(published.snapshot)) this.#owner.onUse(this.#task);
    });
  }

  #announceAsks({ asks }: Residence): void {
    const opened = this.#openedAsks;
    if (opened !== undefined) asks.opened$.subscribe((ask) => opened.next(ask));
  }
}

const isWorking = ({ value }: TaskSnapshot): boolean => !hasNoWork(dottedPath(value));
