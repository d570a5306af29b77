import type { AgentStateInfo } from "../../machines/message/index.ts";

/** The agent's state is another one, or another ask is shown. */
export const isSignificantStateChange = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  previous.state !== current.state ||
  previous.currentAsk !== current.currentAsk ||
  transitionedToWaiting(previous, current);

/** An ask waits that did not wait before. Of an agent that waits, the last row is its ask. */
export const transitionedToWaiting = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  current.isWaitingForInput && (!previous.isWaitingForInput || isOtherAsk(previous, current));

/** The agent waited, and works again. */
export const transitionedToRunning = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  previous.isWaitingForInput && !current.isWaitingForInput && current.isRunning;

export const streamingStarted = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  !previous.isStreaming && current.isStreaming;

export const streamingEnded = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  previous.isStreaming && !current.isStreaming;

/** The task has come to rest on a completion that it did not rest on before. */
export const taskCompleted = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  restsOnCompletion(current) && (!restsOnCompletion(previous) || isOtherAsk(previous, current));

/** The task rests on a completion, be it a former one. */
export const restsOnCompletion = ({ isStreaming, currentAsk }: AgentStateInfo): boolean =>
  !isStreaming && (currentAsk === "completion_result" || currentAsk === "resume_completed_task");

const isOtherAsk = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  previous.currentAsk !== current.currentAsk || previous.lastMessageTs !== current.lastMessageTs;
