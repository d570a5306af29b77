import type { ClineMessage } from "../../machines/message/index.ts";
import type { QueuedMessage } from "../../machines/task/index.ts";

/** What a state push tells of a task. A field that is absent says nothing. */
export interface ExtensionState {
  /** The task that the messages are of. A foreign sender may leave it out: then there is one task only. */
  readonly taskId?: string;
  /** All rows, oldest first; `[]` where there is no task. */
  readonly clineMessages?: readonly ClineMessage[];
  /** The slug of the mode. */
  readonly mode?: string;
  readonly messageQueue?: readonly QueuedMessage[];
  readonly [field: string]: unknown;
}

/** Why a message to the agent was not done. */
export interface Refusal {
  readonly type: "refused";
  /** The `type` of the message that was refused. */
  readonly of: string;
  readonly taskId?: string;
  /** The ask that an answer named. */
  readonly askId?: number;
  /** As of the answer or the host: `ASK_UNKNOWN`, `ASK_CLOSED`, `TASK_BUSY`, ... */
  readonly code: string;
  readonly message: string;
}

/** What a command writes, and how it ends, beside the rows. */
export interface CommandStatus {
  readonly type: "commandExecutionStatus";
  readonly taskId?: string;
  /** The `ts` of the ask that the command was run under. */
  readonly askId: number;
  readonly status: "output" | "exited";
  /** Of `output`: what came since the last. */
  readonly output?: string;
  /** Of `exited`, where it exited by itself. */
  readonly exitCode?: number;
}

/** agent -> front end. `action`, `invoke` and whatever is unknown are accepted and ignored. */
export type ExtensionMessage =
  | { readonly type: "state"; readonly state: ExtensionState }
  | { readonly type: "messageUpdated"; readonly taskId?: string; readonly clineMessage: ClineMessage }
  | Refusal
  | CommandStatus;

export type AskResponse = "yesButtonClicked" | "noButtonClicked" | "messageResponse";

/** front end -> agent. `askId` names the ask that was shown: an answer without one is to the ask that is open. */
export type WebviewMessage =
  | {
      readonly type: "askResponse";
      readonly askResponse: AskResponse;
      readonly askId?: number;
      readonly text?: string;
      readonly images?: readonly string[];
    }
  | { readonly type: "newTask"; readonly text: string; readonly images?: readonly string[] }
  | { readonly type: "clearTask" }
  | { readonly type: "cancelTask" }
  | {
      readonly type: "terminalOperation";
      readonly terminalOperation: "continue" | "abort";
      readonly askId?: number;
    }
  | { readonly type: "queueMessage"; readonly text: string; readonly images?: readonly string[] }
  | { readonly type: "removeQueuedMessage"; readonly id: string }
  | { readonly type: "editQueuedMessage"; readonly id: string; readonly text: string }
  | { readonly type: "mode"; readonly mode: string };
