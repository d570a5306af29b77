import type { Answer, AskType } from "../../machines/message/asks.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { QueuedMessage } from "../../machines/task/task.events.ts";

/** Usage of a task, with Roo Code's names. Tokens are counts, `totalCost` is in US dollars; null: unknown. */
export interface TokenUsage {
  readonly totalTokensIn: number;
  readonly totalTokensOut: number;
  readonly totalCacheWrites: number;
  readonly totalCacheReads: number;
  readonly totalCost: number | null;
  /** Tokens of the conversation at the latest request, including its response. */
  readonly contextTokens: number;
}

/** Attempts and failures by tool since the task was opened here. An invalid call is a failed attempt. */
export type ToolUsage = Readonly<Record<string, { readonly attempts: number; readonly failures: number }>>;

interface Of {
  readonly taskId: string;
}

interface AskedOf extends Of {
  /** The `ts` of the ask's message; an answer names it (L8). */
  readonly askId: number;
  readonly ask: AskType;
}

/** A subtask and the task that waits for it. */
interface Delegation extends Of {
  readonly childTaskId: string;
}

/** An event of a host's task. `taskId` is the task; of a delegation, the parent. */
export type LifecycleEvent =
  /** A task was created or reopened; `instanceId` identifies this opening. It has not started. */
  | (Of & { readonly type: "taskCreated"; readonly instanceId: string; readonly isReopened: boolean })
  /** It is the task of its stack that works, and whose asks a person answers. */
  | (Of & { readonly type: "taskFocused" })
  | (Of & { readonly type: "taskUnfocused" })
  /** It starts to work: after its first message, a resume, or its subtask. */
  | (Of & { readonly type: "taskStarted" })
  /** It works again: an ask whose status was emitted was answered, or its subtask has ended. */
  | (Of & { readonly type: "taskActive" })
  /** A blocking ask has been open for the status delay. */
  | (AskedOf & { readonly type: "taskInteractive" })
  | (AskedOf & { readonly type: "taskResumable" })
  | (AskedOf & { readonly type: "taskIdle" })
  /** An ask was answered by a person or a policy. */
  | (AskedOf & {
      readonly type: "taskAskResponded";
      readonly by: "person" | "policy";
      readonly answer: Answer["kind"];
    })
  | (Of & {
      readonly type: "taskCompleted";
      readonly result: string;
      readonly tokenUsage: TokenUsage;
      readonly toolUsage: ToolUsage;
      readonly isSubtask: boolean;
    })
  /** It was cancelled while it worked, or closed. */
  | (Of & { readonly type: "taskAborted"; readonly reason: "cancelled" | "closed" })
  | (Of & {
      readonly type: "message";
      readonly action: "created" | "updated";
      readonly message: ClineMessage;
    })
  | (Of & { readonly type: "queuedMessagesUpdated"; readonly queuedMessages: readonly QueuedMessage[] })
  | (Of & { readonly type: "taskModeSwitched"; readonly mode: string })
  /** Another model was selected, by the user or with the mode: `name` is its profile, `provider` serves it. */
  | (Of & { readonly type: "providerProfileChanged"; readonly name: string; readonly provider: string })
  | (Of & {
      readonly type: "taskTokenUsageUpdated";
      readonly tokenUsage: TokenUsage;
      readonly toolUsage: ToolUsage;
    })
  | (Of & { readonly type: "taskToolFailed"; readonly tool: string; readonly error: string })
  | (Delegation & { readonly type: "taskDelegated" })
  | (Delegation & { readonly type: "taskDelegationCompleted"; readonly summary: string })
  | (Delegation & { readonly type: "taskDelegationResumed" });

/** Name of a lifecycle event. */
export type LifecycleEventName = LifecycleEvent["type"];
/** The lifecycle event with this name. */
export type LifecycleEventOf<K extends LifecycleEventName> = Extract<LifecycleEvent, { readonly type: K }>;
/** Emits a lifecycle event. */
export type EmitEvent = (event: LifecycleEvent) => void;
