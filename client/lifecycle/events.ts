import type { Answer, AskType, ClineMessage } from "../../machines/message/index.ts";
import type { QueuedMessage } from "../../machines/task/index.ts";

/** What a task has used, with the names of this family's events. Tokens are counts, `totalCost` is in US dollars. */
export interface TokenUsage {
  readonly totalTokensIn: number;
  readonly totalTokensOut: number;
  readonly totalCacheWrites: number;
  readonly totalCacheReads: number;
  readonly totalCost: number;
  /** Of the newest request: what the conversation came to, with the answer. */
  readonly contextTokens: number;
}

/** How often each tool was begun, or was called wrongly, and how often it failed: since the task was opened here. */
export type ToolUsage = Readonly<Record<string, { readonly attempts: number; readonly failures: number }>>;

interface Of {
  readonly taskId: string;
}

interface AskedOf extends Of {
  /** The `ts` of the ask's row: an answer names it (L8). */
  readonly askId: number;
  readonly ask: AskType;
}

/** What a subtask is to the task that waits for it. */
interface Delegation extends Of {
  readonly childTaskId: string;
}

/** What happens to the tasks of a host. `taskId` names whose; of a delegation, the task that waits. */
export type LifecycleEvent =
  /** A task was made, or opened again: `instanceId` names this opening. Nothing has happened to it yet. */
  | (Of & { readonly type: "taskCreated"; readonly instanceId: string; readonly isReopened: boolean })
  /** It is the one of its stack that is at work, and that a person deals with. */
  | (Of & { readonly type: "taskFocused" })
  | (Of & { readonly type: "taskUnfocused" })
  /** It begins to work: after its first row, after a resume, after its subtask. */
  | (Of & { readonly type: "taskStarted" })
  /** It works again: an ask was answered whose status was told, or its subtask has ended. */
  | (Of & { readonly type: "taskActive" })
  /** An ask that stops it has been open for the status delay. */
  | (AskedOf & { readonly type: "taskInteractive" })
  | (AskedOf & { readonly type: "taskResumable" })
  | (AskedOf & { readonly type: "taskIdle" })
  /** An ask has its answer, by whoever it was: a person, or a policy. */
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
  | (Of & {
      readonly type: "taskTokenUsageUpdated";
      readonly tokenUsage: TokenUsage;
      readonly toolUsage: ToolUsage;
    })
  | (Of & { readonly type: "taskToolFailed"; readonly tool: string; readonly error: string })
  | (Delegation & { readonly type: "taskDelegated" })
  | (Delegation & { readonly type: "taskDelegationCompleted"; readonly summary: string })
  | (Delegation & { readonly type: "taskDelegationResumed" });

export type LifecycleEventName = LifecycleEvent["type"];
export type LifecycleEventOf<K extends LifecycleEventName> = Extract<LifecycleEvent, { readonly type: K }>;
export type Tell = (event: LifecycleEvent) => void;
