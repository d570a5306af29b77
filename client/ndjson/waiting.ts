const ANSWERED_BY_WORDS: ReadonlySet<string> = new Set([
  "followup",
  "tool",
  "command",
  "use_mcp_server",
  "completion_result",
  "resume_task",
  "resume_completed_task",
  "mistake_limit_reached",
]);

/**
 * Whether a message of a client is the answer to the ask that the task waits on; else it goes into the queue. To an ask
 * about a call it is a no with words.
 */
export function shouldSendMessageAsAskResponse(waiting: boolean, ask: string | undefined): boolean {
  return waiting && ask !== undefined && ANSWERED_BY_WORDS.has(ask);
}
