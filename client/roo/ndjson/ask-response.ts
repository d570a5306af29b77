const ANSWERED_BY_TEXT: ReadonlySet<string> = new Set([
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
 * Whether a message of a client answers the open ask; otherwise it is queued. For an ask about a tool call it is a
 * rejection with a text.
 */
export function shouldSendMessageAsAskResponse(waiting: boolean, ask: string | undefined): boolean {
  return waiting && ask !== undefined && ANSWERED_BY_TEXT.has(ask);
}
