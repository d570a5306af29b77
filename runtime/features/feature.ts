import type { EdgeOptions } from "../../actors/environment.ts";
import type { TaskInput } from "../../machines/task/task.context.ts";
import type { DurableFacts } from "../../machines/task/task.events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { JournalDraft, JournalHeader } from "../../wire/journal/record.ts";
import type { AssemblyOptions } from "../options.ts";
import type { TaskCommit, TaskSnapshot } from "../task/task-view.ts";
import type { OpenJournal } from "../task-policies/history.ts";

/** The parts of a host that its features use. */
export interface FeatureHost {
  readonly clock: Clock;
  readonly dataDir: string;
  readonly onError: (error: unknown, taskId: string) => void;
  /** Opens the journal of any task for reading. */
  readonly journal: OpenJournal;
}

/** A task that features belong to. */
export interface FeatureTask {
  readonly id: string;
  readonly parent: JournalHeader["parent"];
  readonly options: AssemblyOptions;
  readonly workspace: Workspace;
  readonly driver: JournalDriver;
}

/** Opens a feature of a host for a task that is created or reopened; undefined for a task without the feature. */
export type HostFeature<E extends FeatureEnvironment = FeatureEnvironment> = (
  task: FeatureTask,
  isReopened: boolean,
) => TaskFeature<E> | undefined | Promise<TaskFeature<E> | undefined>;

/** A feature of one task, as long as the task is open. It holds little while the task is passive. */
export interface TaskFeature<E extends FeatureEnvironment = FeatureEnvironment> {
  /** Added to the input of the task machine. */
  readonly input?: FeatureInput;
  /** Called with each new actor of the task, before the actor starts. */
  reside(state: ResidentState): ResidentFeature<E>;
  /** Called when the task has released its actors. */
  onPassive?(): void;
  /** Called when the task is closed. Resolves when the feature does nothing more for it. */
  ended?(): Promise<void>;
}

/** The state of a task whose actors are created. */
export interface ResidentState {
  /** Number of the newest record; undefined for a new task. */
  readonly lastSeq: number | undefined;
  /** The recorded facts; undefined for a new task. */
  readonly facts: Partial<DurableFacts> | undefined;
}

/** A feature of one task while it has actors. */
export interface ResidentFeature<E extends FeatureEnvironment = FeatureEnvironment> {
  /** Added to the environment of the edge actors. */
  readonly environment: E;
  /** Called with each record once it is durable, in order. */
  onRecord?(record: JournalDraft): void;
  /** Called with each published commit, before clients see it. */
  onCommit?(published: TaskCommit): void;
  /** Called with each snapshot of the actor, before its commit is durable. */
  onSnapshot?(snapshot: TaskSnapshot): void;
  /** Whether the task must keep its actors. */
  needsActors?(): boolean;
  /** End the effects of the feature, before the calls of a task that is closed have ended. */
  endEffects?(): Promise<void>;
}

/** The keys that `T` may lack: a feature adds something, and replaces nothing that each task has. */
type OptionalKey<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];

type FeatureInput = Pick<TaskInput, OptionalKey<TaskInput>>;
export type FeatureEnvironment = Pick<EdgeOptions, OptionalKey<EdgeOptions>>;
/** An environment with all these keys. */
export type Adds<K extends keyof FeatureEnvironment> = Required<Pick<FeatureEnvironment, K>>;
