import type { AgentStateInfo } from "../../../machines/message/detect.ts";

/** Whether the state or the shown ask changed. */
export const isSignificantStateChange = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  previous.state !== current.state ||
  previous.currentAsk !== current.currentAsk ||
  transitionedToWaiting(previous, current);

/** Whether another ask waits for an answer. While the agent waits, the last message is its ask. */
export const transitionedToWaiting = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  current.isWaitingForInput && (!previous.isWaitingForInput || isOtherAsk(previous, current));

/** Whether the agent works again after it waited. */
export const transitionedToRunning = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  previous.isWaitingForInput && !current.isWaitingForInput && current.isRunning;

/** Whether the agent started to stream. */
export const streamingStarted = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  !previous.isStreaming && current.isStreaming;

/** Whether the agent stopped streaming. */
export const streamingEnded = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  previous.isStreaming && !current.isStreaming;

/** Whether the task rests on another completion than before. */
export const taskCompleted = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  restsOnCompletion(current) && (!restsOnCompletion(previous) || isOtherAsk(previous, current));

/** Whether the task rests on a completion, also an earlier one. */
export const restsOnCompletion = ({ isStreaming, currentAsk }: AgentStateInfo): boolean =>
  !isStreaming && (currentAsk === "completion_result" || currentAsk === "resume_completed_task");

const isOtherAsk = (previous: AgentStateInfo, current: AgentStateInfo): boolean =>
  previous.currentAsk !== current.currentAsk || previous.lastMessageTs !== current.lastMessageTs;
