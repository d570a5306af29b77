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
  readonly modeChanged: ModeChange;
  /** The queue, where a state push has another one. */
  readonly queueChanged: readonly QueuedMessage[];
  readonly stateChange: StateChange;
  /** Another ask waits for an answer. */
  readonly waitingForInput: WaitingForInput;
  readonly resumedRunning: undefined;
  readonly streamingStarted: undefined;
  readonly streamingEnded: undefined;
  /** Once for each completion of a task. */
  readonly taskCompleted: TaskCompletion;
  /** Each message of a task once, when the client first has it. */
  readonly message: ClineMessage;
  /** Each accepted update of a message. */
  readonly messageUpdated: ClineMessage;
  readonly commandOutput: { readonly askId: number; readonly output: string };
  readonly commandExited: { readonly askId: number; readonly exitCode?: number };
  readonly taskCleared: undefined;
  /** An error of a listener, or a `ClientError` of a refused, unreadable or unsent message. */
  readonly error: Error;
}
