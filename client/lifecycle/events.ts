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
  /** The task was created or opened; `instanceId` identifies this opening. Nothing has happened yet. */
  | (Of & { readonly type: "taskCreated"; readonly instanceId: string; readonly isReopened: boolean })
  /** It becomes the task of its chain that works, and whose asks a person answers (`host.focus`). */
  | (Of & { readonly type: "taskFocused" })
  /** It is no longer the working task of its chain. */
  | (Of & { readonly type: "taskUnfocused" })
  /** It starts to work: after its first message, a resume, or its subtask. */
  | (Of & { readonly type: "taskStarted" })
  /** It works again: an ask whose status was emitted was answered, or its subtask has ended. */
  | (Of & { readonly type: "taskActive" })
  /**
   * An ask has been open for 2 s (`statusDelayMs`): `followup`, `command`, `tool`, `use_mcp_server` or
   * `browser_action_launch`.
   */
  | (AskedOf & { readonly type: "taskInteractive" })
  /** The ask `resume_task` has been open for 2 s. */
  | (AskedOf & { readonly type: "taskResumable" })
  /**
   * An ask has been open for 2 s: `completion_result`, `api_req_failed`, `resume_completed_task`,
   * `mistake_limit_reached` or `auto_approval_max_req_reached`.
   */
  | (AskedOf & { readonly type: "taskIdle" })
  /** An ask was answered by a person or a policy. Never emitted for a withdrawn ask. */
  | (AskedOf & {
      readonly type: "taskAskResponded";
      readonly by: "person" | "policy";
      readonly answer: Answer["kind"];
    })
  /** A completion was accepted, and its record is durable. */
  | (Of & {
      readonly type: "taskCompleted";
      readonly result: string;
      readonly tokenUsage: TokenUsage;
      readonly toolUsage: ToolUsage;
      readonly isSubtask: boolean;
    })
  /** It was `cancelled` while it worked, or `closed`. */
  | (Of & { readonly type: "taskAborted"; readonly reason: "cancelled" | "closed" })
  /** A message was created or updated. */
  | (Of & {
      readonly type: "message";
      readonly action: "created" | "updated";
      readonly message: ClineMessage;
    })
  /** The queue changed. */
  | (Of & { readonly type: "queuedMessagesUpdated"; readonly queuedMessages: readonly QueuedMessage[] })
  /** The mode changed. */
  | (Of & { readonly type: "taskModeSwitched"; readonly mode: string })
  /**
   * Another model was selected for the next request, by the user or with the mode: `name` is its profile, `provider`
   * serves it (docs/guide/change-the-model.md).
   */
  | (Of & { readonly type: "providerProfileChanged"; readonly name: string; readonly provider: string })
  /** The usage changed: at once, then at most every 2 s, and always before an abort and a completion. */
  | (Of & {
      readonly type: "taskTokenUsageUpdated";
      readonly tokenUsage: TokenUsage;
      readonly toolUsage: ToolUsage;
    })
  /** A call failed or was invalid. */
  | (Of & { readonly type: "taskToolFailed"; readonly tool: string; readonly error: string })
  /** A subtask was created for it, and its first record is durable. */
  | (Delegation & { readonly type: "taskDelegated" })
  /** Its subtask completed. */
  | (Delegation & { readonly type: "taskDelegationCompleted"; readonly summary: string })
  /** It works again after its subtask, however that ended, also where it took over the end when it was opened. */
  | (Delegation & { readonly type: "taskDelegationResumed" });

/** Name of a lifecycle event. */
export type LifecycleEventName = LifecycleEvent["type"];
/** The lifecycle event with this name. */
export type LifecycleEventOf<K extends LifecycleEventName> = Extract<LifecycleEvent, { readonly type: K }>;
/** Emits a lifecycle event. */
export type EmitEvent = (event: LifecycleEvent) => void;
