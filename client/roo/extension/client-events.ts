import type { AskType } from "../../../machines/message/asks.ts";
import type { AgentStateInfo } from "../../../machines/message/detect.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { QueuedMessage } from "../../../machines/task/task.events.ts";

export interface ModeChange {
  readonly previousMode: string | undefined;
  readonly currentMode: string;
}

export interface StateChange {
  readonly previousState: AgentStateInfo;
  readonly currentState: AgentStateInfo;
  /** Whether the state or the open ask changed. */
  readonly isSignificantChange: boolean;
}

export interface WaitingForInput {
  readonly ask: AskType | (string & {});
  /** The `ts` of the ask's message; an answer names it (L8). */
  readonly askId: number;
  readonly stateInfo: AgentStateInfo;
  readonly message: ClineMessage;
}

interface TaskCompletion {
  readonly success: boolean;
  readonly stateInfo: AgentStateInfo;
  readonly message?: ClineMessage;
}

/**
 * The events of a client. A state push emits, in this order: modeChanged, queueChanged, stateChange, waitingForInput,
 * resumedRunning, streamingStarted, streamingEnded, taskCompleted, then `message` for each new message. An update emits
 * messageUpdated first, then the same. Updates of one commit (`more`) are emitted together after the last one: first
 * `messageUpdated` for each, then the others once.
 */
export interface ClientEvents {
  /** The mode differs from the last push: `previousMode`, `currentMode`. */
  readonly modeChanged: ModeChange;
  /** The queue, if it differs from the last push. */
  readonly queueChanged: readonly QueuedMessage[];
  /**
   * Always: `previousState`, `currentState`, `isSignificantChange`. With `emitAllStateChanges: false` only if the state
   * differs.
   */
  readonly stateChange: StateChange;
  /** An ask waits that did not wait before: `ask`, `askId`, `stateInfo`, `message`. */
  readonly waitingForInput: WaitingForInput;
  /** The task works again. */
  readonly resumedRunning: undefined;
  /** A response begins. */
  readonly streamingStarted: undefined;
  /** A response ends. */
  readonly streamingEnded: undefined;
  /** The task rests on a completion, once for each: `success`, `stateInfo`, `message`. */
  readonly taskCompleted: TaskCompletion;
  /** Each message of a task once, when the client first has it. */
  readonly message: ClineMessage;
  /** Each accepted update of a message, before the other events of it. */
  readonly messageUpdated: ClineMessage;
  /** The output of a running command: `askId`, `output`. */
  readonly commandOutput: { readonly askId: number; readonly output: string };
  /** A command ended: `askId`, `exitCode`. */
  readonly commandExited: { readonly askId: number; readonly exitCode?: number };
  /** No task is shown. */
  readonly taskCleared: undefined;
  /** An error of a listener, or a `ClientError` of a refused, unreadable or unsent message (docs/reference/errors.md). */
  readonly error: Error;
}
