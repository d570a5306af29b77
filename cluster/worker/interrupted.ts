import { isIdleAsk, isResumableAsk } from "../../machines/message/asks.ts";
import type { ClineMessage } from "../../machines/message/message.ts";

interface Messages {
  readonly length: number;
  at(index: number): ClineMessage | undefined;
}

/**
 * Whether the process that owned the task ended while the task worked or waited for an answer. Opening it has then
 * posted an ask to resume; an ask at which the task was at rest before stays, or is the last message before the new one.
 *
 * @param openedAt The time before the task was opened, in ms since 1970
 */
export function wasInterrupted(log: Messages, openedAt: number): boolean {
  const resume = log.at(-1);
  if (resume === undefined || !isResumableAsk(resume.ask) || resume.ts < openedAt) return false;
  const before = log.at(-2);
  return !isIdleAsk(before?.ask) && !isResumableAsk(before?.ask);
}
