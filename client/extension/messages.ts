import type { ClineMessage } from "../../machines/message/index.ts";
import type { QueuedMessage } from "../../machines/task/index.ts";

/**
 * When a sender said something, so that a view can tell newer from older in whatever order a transport delivers.
 * Foreign senders have none: their messages must come in order.
 */
export interface Revision {
  /** Names one run of the sender. Numbers are compared within one run only. */
  readonly source: string;
  /** Greater with each message of that run, of whatever task. */
  readonly number: number;
}

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

/** All rows of a task, or what else a front end knows of it. */
export interface StatePush {
  readonly type: "state";
  readonly state: ExtensionState;
  readonly revision?: Revision;
}

/** One row, as it now is: one that isn't there yet is appended. */
export interface MessageUpdate {
  readonly type: "messageUpdated";
  readonly taskId?: string;
  readonly clineMessage: ClineMessage;
  readonly revision?: Revision;
  /** More rows of the same step of the agent follow: only behind the last of them do the rows mean a state again. */
  readonly more?: boolean;
}

/**
 * More text at the end of a row, for a front end that said it takes this (`webviewDidLaunch`): so a row that streams costs
 * what it is long, and not the whole row for each piece.
 */
export interface MessageGrowth {
  readonly type: "messageGrown";
  readonly taskId?: string;
  /** The row. */
  readonly ts: number;
  /** The characters (UTF-16 code units) that the row's text had before. */
  readonly offset: number;
  /** What came behind them. */
  readonly text: string;
  /** The `number` of the message that told this row whole, last before this: the text is that of then, and all pieces since. */
  readonly since?: number;
  readonly revision?: Revision;
  /** As of a {@link MessageUpdate}. */
  readonly more?: boolean;
}

/** agent -> front end. `action`, `invoke` and whatever is unknown are accepted and ignored. */
export type ExtensionMessage = StatePush | MessageUpdate | MessageGrowth | Refusal | CommandStatus;

/** `objectResponse` is the family's fourth kind. No ask takes it: the agent refuses it by name. */
export type AskResponse = "yesButtonClicked" | "noButtonClicked" | "messageResponse" | "objectResponse";

/**
 * front end -> agent. `askId` names the ask that was shown, `taskId` the task. A client fills both in; an agent
 * refuses an answer that names no ask, unless it was told to take them (L7).
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
  | { readonly type: "cancelTask" }
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
  /** Without images the message keeps its own. */
  | {
      readonly type: "editQueuedMessage";
      readonly id: string;
      readonly text: string;
      readonly images?: readonly string[];
    }
  | { readonly type: "mode"; readonly mode: string }
  /**
   * The front end is there (again): it is sent the whole state. `takes` names the messages beside those of the family that
   * it reads: `messageGrown`. Without it rows are always told whole.
   */
  | { readonly type: "webviewDidLaunch"; readonly takes?: readonly string[] };
