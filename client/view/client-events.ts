import type { AgentStateInfo, AskType, ClineMessage } from "../../machines/message/index.ts";

export interface ModeChange {
  readonly previousMode: string | undefined;
  readonly currentMode: string;
}

export interface StateChange {
  readonly previousState: AgentStateInfo;
  readonly currentState: AgentStateInfo;
  /** Whether the state itself is another one, or another ask is open. */
  readonly isSignificantChange: boolean;
}

export interface WaitingForInput {
  readonly ask: AskType | (string & {});
  /** The `ts` of the ask's row: an answer names it (L8). */
  readonly askId: number;
  readonly stateInfo: AgentStateInfo;
  readonly message: ClineMessage;
}

export interface TaskCompletion {
  readonly success: boolean;
  readonly stateInfo: AgentStateInfo;
  readonly message?: ClineMessage;
}

/**
 * What a client tells, by name. Of one state push, in this order: modeChanged, stateChange, waitingForInput,
 * resumedRunning, streamingStarted, streamingEnded, taskCompleted, then `message` for each row that is new. Of one
 * row's update: messageUpdated first, then the same.
 */
export interface ClientEvents {
  readonly modeChanged: ModeChange;
  readonly stateChange: StateChange;
  readonly waitingForInput: WaitingForInput;
  readonly resumedRunning: undefined;
  readonly streamingStarted: undefined;
  readonly streamingEnded: undefined;
  readonly taskCompleted: TaskCompletion;
  readonly message: ClineMessage;
  readonly messageUpdated: ClineMessage;
  readonly commandOutput: { readonly askId: number; readonly output: string };
  readonly commandExited: { readonly askId: number; readonly exitCode?: number };
  readonly taskCleared: undefined;
  readonly error: Error;
}
