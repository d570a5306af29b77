import { detectAgentState } from "../../machines/message/detect.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { isRequestMessage, isRequestOpen, requestInfo } from "../../machines/message/request.ts";
import { type LogViolation, quoted } from "./violation.ts";

type Messages = readonly ClineMessage[];

/** Type and kind of a message, e.g. `ask:tool`. */
export const nameOf = (message: ClineMessage): string =>
  `${message.type}:${message.ask ?? message.say ?? "?"}`;

/** Whether a message is an ask without a closing mark. Roo Code marks an answered one by `isAnswered`. */
export const isUnclosedAsk = (message: ClineMessage): boolean =>
  message.type === "ask" && message.closing === undefined && message.isAnswered !== true;

/**
 * Check the laws that need only messages against a recorded log in the format of Roo Code: at most one partial
 * message, the last (L3); requests closed with a cost (L4); increasing `ts` (L5); at most one open ask, the last
 * message (L8). Linear in the number of messages; no message makes it throw.
 *
 * Other agents write no closing marks. In such a log an ask counts as unanswered only if an ask to resume follows
 * it, and the missing marks are reported once, at the first ask.
 *
 * @returns the violations in the order of the messages
 *
 * @example
 * ```ts
 * import { monitorMessages } from "signalbox/verify";
 * const log = [
 *   { ts: 5, type: "say", say: "text", text: "Fix it", partial: true },
 *   { ts: 4, type: "say", say: "text", text: "I will." },
 * ] as const;
 * console.log(monitorMessages(log).map(({ law, at }) => `${law} at ${at}`).join(", ")); // L3 at 0, L5 at 1
 * ```
 */
export function monitorMessages(log: Iterable<ClineMessage>): readonly LogViolation[] {
  const messages = [...log];
  const violations = [partialMessages, requests, times, asks].flatMap((check) => check(messages));
  return violations.sort((a, b) => a.at - b.at);
}

function partialMessages(messages: Messages): LogViolation[] {
  const last = messages.length - 1;
  const request = messages.findLast((message) => isRequestMessage(message));
  const isStreaming = request !== undefined && isRequestOpen(request);
  return messages.flatMap((message, at): LogViolation[] => {
    if (message.partial !== true || (at === last && isStreaming)) return [];
    const [expected, fault] =
      at < last
        ? ["only the last message may be partial", `${last - at} messages follow it`]
        : ["a message is partial only while a request is open", "no request is open"];
    return [{ law: "L3", at, expected, came: `${nameOf(message)} is partial, and ${fault}` }];
  });
}

function requests(messages: Messages): LogViolation[] {
  const newest = messages.findLastIndex((message) => isRequestMessage(message));
  return messages.flatMap((message, at): LogViolation[] => {
    if (!isRequestMessage(message)) return [];
    if (isRequestOpen(message)) return openRequest(messages, at, newest);
    return requestInfo(message)?.cost === undefined
      ? [
          {
            law: "L4",
            at,
            expected: "a closed request has a cost, a number or null",
            came: quoted(message.text),
          },
        ]
      : [];
  });
}

function openRequest(messages: Messages, at: number, newest: number): LogViolation[] {
  const { state } = detectAgentState(messages);
  if (at === newest && state === "streaming") return [];
  const [expected, fault] =
    at < newest
      ? ["a request is closed before the next one is opened", `the request at message ${newest} is newer`]
      : ["a request is open only while streaming", `the log derives ${state}`];
  return [{ law: "L4", at, expected, came: `it has no cost, and ${fault}` }];
}

function times(messages: Messages): LogViolation[] {
  return messages.flatMap(({ ts }, at): LogViolation[] => {
    const before = messages[at - 1]?.ts ?? Number.NEGATIVE_INFINITY;
    if (at === 0 || ts > before) return [];
    return [{ law: "L5", at, expected: `a ts after the previous message's ${before}`, came: `${ts}` }];
  });
}

/** An ask left open, and the next message. */
interface UnclosedAsk {
  readonly at: number;
  readonly message: ClineMessage;
  readonly next: ClineMessage;
}

function asks(messages: Messages): LogViolation[] {
  const unclosed = messages.flatMap((message, at): UnclosedAsk[] => {
    const next = messages[at + 1];
    return next !== undefined && message.partial !== true && isUnclosedAsk(message)
      ? [{ at, message, next }]
      : [];
  });
  const hasClosingMarks = messages.some((message) => message.closing !== undefined);
  const isUnanswered = ({ next }: UnclosedAsk): boolean =>
    hasClosingMarks || next.ask?.startsWith("resume_") === true;
  const unanswered = unclosed.filter(isUnanswered).map(toViolation);
  const unmarked = unclosed.filter((one) => !isUnanswered(one));
  const [first] = unmarked;
  if (first === undefined) return unanswered;
  const expected = "each ask is closed once, with a closing mark";
  const came = `${unmarked.length} asks have no closing mark; ${nameOf(first.message)} is the first`;
  return [...unanswered, { law: "L8", at: first.at, expected, came }];
}

const toViolation = ({ at, message, next }: UnclosedAsk): LogViolation => ({
  law: "L8",
  at,
  expected: "an open ask is the last message",
  came: `${nameOf(message)} is open, and ${nameOf(next)} follows it`,
});
