import type { ChatModel, Clock, Edge, EdgeActors, Expiry, LlmBounds } from "../actors/index.ts";
import type { ActorInputs, TaskLimits } from "../machines/task/index.ts";
import type { JournalDriver } from "../store/index.ts";
import type { Policy, Tool } from "../tools/index.ts";
import type { BreakpointLimits } from "./breakpoints.ts";
import type { LawCheck } from "./law-check.ts";
import type { WordLimits } from "./words.ts";

export interface HostOptions {
  /** Where the journals lie. Default `~/.signalbox`. */
  readonly dataDir?: string;
  /** The journal of a task. Default: one file a task, in `dataDir`. */
  readonly journal?: (taskId: string) => JournalDriver;
  /** Time, for tests. */
  readonly clock?: Clock;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random?: () => number;
  /** Makes the ids of tasks and queued messages. Default: random UUIDs. */
  readonly newId?: () => string;
  /** How deep subtasks may be nested (L14): one deeper is refused, and the model told why. 0: none. Default 5. */
  readonly subtaskDepth?: number;
  /** Told of what nobody else can be told: a broken invariant, a listener that threw. Default: thrown at the process. */
  readonly onError?: (error: unknown, taskId: string) => void;
}

export interface TaskOptions {
  readonly model: ChatModel;
  /** The folder that the tools may touch. */
  readonly workspace: string;
  /** Default: the built-in ones. */
  readonly tools?: readonly Tool[];
  /** Default: reads inside the workspace are allowed, a person is asked about the rest. */
  readonly policy?: Policy;
  /** More parts for the system prompt, after the standard ones. */
  readonly instructions?: readonly string[];
  readonly limits?: Partial<TaskLimits>;
  /** How much a person may say at once. */
  readonly words?: Partial<WordLimits>;
  /** How much its breakpoints hold. */
  readonly breakpoints?: Partial<BreakpointLimits>;
  /**
   * What `breakpoints.set({ laws: true })` holds it against. Default: L1. `messageLaws` of `signalbox/verify` holds all laws
   * of messages, L1 to L6 and L8.
   */
  readonly laws?: LawCheck;
  /** Bounds of one answer of the model, and how often the task hears of it. */
  readonly llm?: LlmBounds;
  /** Whether a failed request is tried again without asking. Default true. */
  readonly autoRetry?: boolean;
  /** Which asks a policy answers after a while, and how. Default: none. */
  readonly expiry?: (ask: ActorInputs["ask"]) => Expiry | undefined;
  /** Edge actors to use in place of the standard ones, which are given. */
  readonly actors?: (standard: EdgeActors, edge: Edge) => Partial<EdgeActors>;
  /** Names the task and its folder: letters, digits, `.`, `_` and `-`. Default: a new one. */
  readonly id?: string;
  /** The slug of the mode that the task begins in. Default `code`. */
  readonly mode?: string;
  /** Whether the workspace is snapshotted before a turn's first effect (docs/checkpoints.md). Default false. */
  readonly checkpoints?: boolean;
}

/** What a task is opened with that its journal does not hold. The workspace is the one that it had, unless given. */
export type ReopenOptions = Omit<TaskOptions, "id" | "workspace" | "mode"> & { readonly workspace?: string };
