import type { AgentStateInfo, AskType, ClineMessage } from "../../machines/message/index.ts";
import type { QueuedMessage } from "../../machines/task/index.ts";

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
 * What a client tells, by name. Of one state push, in this order: modeChanged, queueChanged, stateChange,
 * waitingForInput, resumedRunning, streamingStarted, streamingEnded, taskCompleted, then `message` for each row that is
 * new. Of one row's update: messageUpdated first, then the same. Rows of one step of the agent (`more`) are told
 * together, behind the last: first `messageUpdated` for each, then the rest once.
 */
export interface ClientEvents {
  readonly modeChanged: ModeChange;
  /** What waits for the next request, where a state push tells of it and it is not what was told before. */
  readonly queueChanged: readonly QueuedMessage[];
  readonly stateChange: StateChange;
  /** An ask waits that did not wait before: also when another one was waiting until now. */
  readonly waitingForInput: WaitingForInput;
  readonly resumedRunning: undefined;
  readonly streamingStarted: undefined;
  readonly streamingEnded: undefined;
  /** Once for each completion of a task. */
  readonly taskCompleted: TaskCompletion;
  /** Each row of a task once, as it was when it came into the view. */
  readonly message: ClineMessage;
  /** Each update of a row that the view took. */
  readonly messageUpdated: ClineMessage;
  readonly commandOutput: { readonly askId: number; readonly output: string };
  readonly commandExited: { readonly askId: number; readonly exitCode?: number };
  readonly taskCleared: undefined;
  /** What a listener threw, what the agent refused, what can't be read or sent: the last three are a `ClientError`. */
  readonly error: Error;
}
