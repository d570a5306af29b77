import type { ClineMessage } from "../../../machines/message/message.ts";
import type { QueuedMessage } from "../../../machines/task/task.events.ts";
import type { Proposal } from "../../../machines/tool-call/call.ts";

/**
 * The revision of a message, so that a client can order messages that a transport delivers out of order. Messages of a
 * foreign sender have none and must arrive in order.
 */
export interface Revision {
  /** Identifies a run of the sender. Numbers are comparable within one run only. */
  readonly source: string;
  /** Increases with each message of that run, of any task. */
  readonly number: number;
}

/** The state in a state push. An absent field means no change. */
export interface ExtensionState {
  /** The task of the messages. A foreign sender with a single task may omit it. */
  readonly taskId?: string;
  /** All messages, oldest first; `[]` without a task. */
  readonly clineMessages?: readonly ClineMessage[];
  /** The slug of the mode. */
  readonly mode?: string;
  readonly messageQueue?: readonly QueuedMessage[];
  /** Other fields of the sender, such as `taskHistory`. */
  readonly [field: string]: unknown;
}

/** The rejection of a message to the agent. */
export interface Refusal {
  readonly type: "refused";
  /** The `type` of the message that was refused. */
  readonly of: string;
  readonly taskId?: string;
  /** The ask that an answer named. */
  readonly askId?: number;
  /** The code of the answer or the host: `ASK_UNKNOWN`, `ASK_CLOSED`, `TASK_BUSY`, ... */
  readonly code: string;
  readonly message: string;
}

/** The output or the end of a command, outside of the messages. */
export interface CommandStatus {
  readonly type: "commandExecutionStatus";
  readonly taskId?: string;
  /** The `ts` of the ask that approved the command. */
  readonly askId: number;
  readonly status: "output" | "exited";
  /** The output since the last `output`. */
  readonly output?: string;
  /** The exit code in `exited`, if the command exited by itself. */
  readonly exitCode?: number;
}

/** All messages of a task, or other fields of its state. */
export interface StatePush {
  readonly type: "state";
  readonly state: ExtensionState;
  readonly revision?: Revision;
}

/** A new or changed message. */
export interface MessageUpdate {
  readonly type: "messageUpdated";
  readonly taskId?: string;
  readonly clineMessage: ClineMessage;
  readonly revision?: Revision;
  /** Whether more updates of the same commit follow: the messages mean a state again after the last one. */
  readonly more?: boolean;
}

/**
 * Text appended to a message, for a client that reads it (`webviewDidLaunch`): a streaming message is not sent again for
 * each delta.
 */
export interface MessageGrowth {
  readonly type: "messageGrown";
  readonly taskId?: string;
  /** The `ts` of the message. */
  readonly ts: number;
  /** The length of the text before, in UTF-16 code units. */
  readonly offset: number;
  /** The appended text. */
  readonly text: string;
  /** The revision `number` of the last whole text of this message, which the growths since then extend. */
  readonly since?: number;
  readonly revision?: Revision;
  /** As in a {@link MessageUpdate}. */
  readonly more?: boolean;
}

/**
 * The parts that an answer to an ask about a call can add, for a client that reads them (`webviewDidLaunch`). They come before
 * the ask's message.
 */
export interface AskFactsMessage {
  readonly type: "askFacts";
  readonly taskId: string;
  /** The `ts` of the ask's message. */
  readonly askId: number;
  /** Rules that would allow such calls from now on, the narrowest first. */
  readonly rules: readonly string[];
  /** The part of the call that an approval can amend. Absent: nothing. */
  readonly proposal?: Proposal;
}

/** A message of the agent to a client. `action`, `invoke` and unknown types are accepted and ignored. */
export type ExtensionMessage =
  | StatePush
  | MessageUpdate
  | MessageGrowth
  | AskFactsMessage
  | Refusal
  | CommandStatus;

/** Kinds of responses of Roo Code. No ask takes `objectResponse`: the agent refuses it. */
export type AskResponse = "yesButtonClicked" | "noButtonClicked" | "messageResponse" | "objectResponse";

/**
 * A message of a client to the agent. `askId` is the ask that was shown, `taskId` its task. A client adds both; an agent
 * refuses an answer without an ask unless it is configured to accept it (L7).
 */
export type WebviewMessage =
  | {
      readonly type: "askResponse";
      readonly askResponse: AskResponse;
      readonly taskId?: string;
      readonly askId?: number;
      readonly text?: string;
      readonly images?: readonly string[];
    }
  | { readonly type: "newTask"; readonly text: string; readonly images?: readonly string[] }
  | { readonly type: "clearTask" }
  /** Without a `taskId`: the whole tree, even while a subtask is shown. With the id of the shown subtask: that subtask alone. */
  | { readonly type: "cancelTask"; readonly taskId?: string }
  | {
      readonly type: "terminalOperation";
      readonly terminalOperation: "continue" | "abort";
      readonly taskId?: string;
      readonly askId?: number;
    }
  | {
      readonly type: "queueMessage";
      readonly taskId?: string;
      readonly text: string;
      readonly images?: readonly string[];
    }
  | { readonly type: "removeQueuedMessage"; readonly id: string }
  /** Without images the message keeps its images. */
  | {
      readonly type: "editQueuedMessage";
      readonly id: string;
      readonly text: string;
      readonly images?: readonly string[];
    }
  | { readonly type: "mode"; readonly mode: string }
  /** Show another task; the text is its id. */
  | { readonly type: "showTaskWithId"; readonly text: string }
  /** A person takes over the decision that a rule would make after a wait. */
  | { readonly type: "cancelAutoApproval" }
  /** Settings to change; absent ones stay. */
  | { readonly type: "updateSettings"; readonly updatedSettings: Readonly<Record<string, unknown>> }
  /**
   * The client is ready: the agent sends the whole state. `takes` lists messages that it reads besides
   * Roo Code's: `messageGrown`. Without it messages are always sent whole.
   */
  | { readonly type: "webviewDidLaunch"; readonly takes?: readonly string[] };
