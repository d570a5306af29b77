import type { AnyActorRef } from "xstate";
import type { Conversation } from "../conversation/conversation.ts";
import type { AskType } from "../message/asks.ts";
import type { Log } from "../message/log.ts";
import type { Notice, RecordedCall, SubtaskOutcome, ToolCall } from "../tool-call/call.ts";
import type { Author, ControlPoint, ControlState } from "../tool-call/control.ts";
import type { Grant } from "../tool-call/grant.ts";
import type { HookPoint } from "../tool-call/hooks.ts";
import type { TaskIntent } from "../tool-call/intent.ts";
import type { PermissionState } from "../tool-call/permissions.ts";
import type { TaskLimits } from "./limits.ts";
import type {
  Completion,
  ContextReady,
  DurableFacts,
  ModelRef,
  QueuedMessage,
  StopReason,
  TaskEvent,
  Usage,
  WakeUp,
} from "./task.events.ts";

/** The open ask, or the ask of an accepted or declined completion that still takes feedback. */
export interface OpenAsk {
  /** The `ts` of its message. */
  readonly id: number;
  readonly ask: AskType;
  /** The call that it is about. */
  readonly callId?: string;
  /** The id of the request for input by the running call, if the ask shows one. */
  readonly elicitationId?: string;
}

/** A block of text or thinking of the streaming response. */
export interface ProseBlock {
  readonly kind: "text" | "thinking";
  /** Text that is not yet in its message. */
  readonly buffered: string;
  readonly done: boolean;
  /** The `ts` of its message, once it is shown. */
  readonly ts?: number;
}

/** A block of the streaming response, or the position of a call in it. */
export type Block =
  | ProseBlock
  /** A whole block that is not interpreted. */
  | { readonly kind: "opaque"; readonly text: string }
  | { readonly kind: "call"; readonly callId: string };

interface CallNotice {
  readonly callId: string;
  readonly notice: Notice;
}

/** One response and its calls. `cursor` is the index of the first block that is not yet processed. */
export interface Turn {
  readonly blocks: readonly Block[];
  readonly cursor: number;
  readonly calls: readonly ToolCall[];
  /** Notices of reads that ended after the cursor had passed them. They are shown when the response is complete. */
  readonly notices?: readonly CallNotice[];
  /** Set when the response is complete. */
  readonly stopReason?: StopReason;
  /** State of the workspace snapshot before the turn's first effect. */
  readonly checkpoint?: "saving" | "done";
  /** The writer of the response, once the protocol that controls the task has judged it. */
  readonly judged?: Author;
}

/**
 * When queued messages are delivered. `all`: all of them with the next request. `one`: each continues the task on its own,
 * after the completion before it.
 */
export type QueueDelivery = "one" | "all";

/**
 * The end of subtasks in the background when their parent completes. `wait`: it completes once all have ended and the
 * model was told. `cancel`: they are cancelled.
 */
export type SubtasksAtCompletion = "wait" | "cancel";

/** The context of the task machine, as a snapshot of its actor has it. */
export interface TaskContext extends DurableFacts {
  readonly taskId: string;
  readonly limits: TaskLimits;
  readonly autoRetry: boolean;
  readonly completion: Completion;
  readonly queueDelivery: QueueDelivery;
  /** The model of the requests where no other profile is selected. */
  readonly standardModel: ModelRef | undefined;
  readonly profiles: TaskProfiles;
  /** How many models have failed since the task was last at rest: the next request goes to the one after them. */
  readonly fallback: number;
  readonly log: Log;
  readonly conversation: Conversation;
  /** The `ts` of the open request's message. */
  readonly request: number | undefined;
  /** The model of the open request: a profile that is selected until its end is for the next one. */
  readonly requestModel: RequestModel | undefined;
  /** The mode of the open request, for all that depends on it. A mode that is selected later is for the next request. */
  readonly requestMode: string | undefined;
  /** Usage of the open request so far. */
  readonly usage: Usage;
  /** Usage of the summary that the open request began with. */
  readonly condenseUsage: Usage;
  readonly ask: OpenAsk | undefined;
  readonly turn: Turn;
  readonly queue: readonly QueuedMessage[];
  /** Result of the context actor, while the request is prepared. */
  readonly prepared: Required<Pick<ContextReady, "environment" | "ends" | "attached">> | undefined;
  /** Whether the workspace is snapshotted before a turn's first effect. */
  readonly checkpoints: boolean;
  /** Whether policies over time judge each call before it starts (law ONE). */
  readonly policies: boolean;
  /** The end of the subtasks in the background when the task completes. */
  readonly subtasksAtCompletion: SubtasksAtCompletion;
  /** The wake-up that a new task has. */
  readonly standing: StandingWakeUp | undefined;
  /** The points that have hooks. Without any, no hook actor is started. */
  readonly hooks: readonly HookPoint[];
  /** The points at which a protocol controls the task. */
  readonly controlled: readonly ControlPoint[];
  /** Set in a task that is opened from its journal, until its start has settled interrupted work. */
  readonly reopening:
    | ({ readonly at: number; readonly wasCompleted: boolean } & Pick<ReopenedTask, "childEnds">)
    | undefined;
  /** The newest event that changed anything. */
  readonly cause: TaskEvent | undefined;
  /** The actor that invoked the machine and receives its {@link ReportEvent}s. */
  readonly reportTo: AnyActorRef | undefined;
}

/** A wake-up that is due at each interval. */
export type StandingWakeUp = Required<Pick<WakeUp, "everyMs" | "message">>;

/** The named models of a task besides its standard one. */
export interface TaskProfiles {
  /** The name of the standard model. */
  readonly standard: string;
  /** The other models by name. */
  readonly models: Readonly<Record<string, ModelRef>>;
  /** The profile of a mode by its slug: a name of `models`, or `standard`. */
  readonly byMode: Readonly<Record<string, string>>;
  /** By its name: the profiles that replace a selected one while its endpoint fails, in order. */
  readonly fallbacks?: Readonly<Record<string, readonly string[]>>;
}

/** The model of one request. */
interface RequestModel {
  /** The profile; null: the standard model. */
  readonly profile: string | null;
  readonly model: ModelRef | undefined;
}

/** Input of the task machine. */
export interface TaskInput {
  readonly taskId: string;
  readonly limits?: Partial<TaskLimits>;
  /** Whether a failed request is retried without an ask. Default true. */
  readonly autoRetry?: boolean;
  /** The condition that completes the task. Default `end_turn`. */
  readonly completion?: Completion;
  /** When queued messages are delivered. Default `all`. */
  readonly queueDelivery?: QueueDelivery;
  /** The end of subtasks in the background when the task completes. Default `wait`. */
  readonly subtasksAtCompletion?: SubtasksAtCompletion;
  /** Whether the workspace is snapshotted before a turn's first effect. Default false. */
  readonly checkpoints?: boolean;
  /** The wake-up of a new task. Default: none. */
  readonly wakeUp?: StandingWakeUp;
  /** Whether policies over time judge each call before it starts. Default false. */
  readonly policies?: boolean;
  /** The points at which hooks run. Default: none. */
  readonly hooks?: readonly HookPoint[];
  /** The slug of the task's first mode. Default `code`. */
  readonly mode?: string;
  /** The standard model of the requests. Without one, none is recorded. */
  readonly model?: ModelRef;
  /** The other models, which the user and modes select. Default: none. */
  readonly profiles?: TaskProfiles;
  /** The profile that the user selected for the parent. Only a subtask has it. */
  readonly chosenProfile?: string;
  /** The profile that the parent's call names for the subtask. It precedes the profile of the mode. */
  readonly namedProfile?: string;
  /**
   * The amounts that the task and its subtasks may spend, for a task that has recorded no budget. Without it, `limits` alone
   * limit it.
   */
  readonly budget?: { readonly from: "user" | "parent"; readonly grant: Grant };
  /** The first permissions of the user, for a task that has recorded no change. Default: mode `ask` without rules. */
  readonly permissions?: Partial<Pick<PermissionState, "mode" | "rules">>;
  /** The protocol that controls the task, as it begins, and the points at which it decides. Default: none. */
  readonly control?: ControlState & { readonly points: readonly ControlPoint[] };
  /** The intent of the parent, or the demand to select one, in a workspace with intents. Default: no intents. */
  readonly intent?: TaskIntent;
  /** The content of the journal, for a task that is opened again. */
  readonly reopened?: ReopenedTask;
  readonly reportTo?: AnyActorRef;
}

/** Content of a task's journal. */
export interface RecordedState {
  readonly log: Log;
  readonly conversation: Conversation;
  readonly queue: readonly QueuedMessage[];
  readonly facts: Partial<DurableFacts>;
  /** The calls of the unfinished turn. */
  readonly calls: readonly RecordedCall[];
}

/** Content of a journal from which a task is opened. */
export interface ReopenedTask extends RecordedState {
  /** Time of opening: milliseconds since 1970. */
  readonly openedAt: number;
  /** Results of the awaited subtasks from their own journals, by call id (L16). */
  readonly childEnds?: ReadonlyMap<string, SubtaskOutcome>;
}
