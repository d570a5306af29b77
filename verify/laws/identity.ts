import type { ClineMessage } from "../../machines/message/message.ts";
import { isRequestMessage, isRequestOpen } from "../../machines/message/request.ts";
import { MONITORED_LAWS } from "../monitor/monitored-laws.ts";
import { type LogChange, logChanges } from "./changes.ts";
import type { Law, Step } from "./law.ts";

const IMMUTABLE = new Set(["ts", "type", "ask", "say"]);
const CLOSING_FIELDS = new Set(["closing", "isAnswered"]);

const mayGrow = (message: ClineMessage, isLast: boolean): boolean =>
  isLast && (message.partial === true || (message.ask === "command_output" && message.closing === undefined));

function mayAmend(message: ClineMessage, isLast: boolean, keys: readonly string[]): boolean {
  if (keys.some((key) => IMMUTABLE.has(key))) return false;
  if (isLast && message.partial === true) return true;
  if (isRequestMessage(message)) return isRequestOpen(message) && keys.join() === "text";
  return (
    message.type === "ask" && message.closing === undefined && keys.every((key) => CLOSING_FIELDS.has(key))
  );
}

/** A status changes the message of its call only, while the call runs. */
function mayShowStatus({ ts }: ClineMessage, keys: readonly string[], { before, event }: Step): boolean {
  if (event.type !== "tool.progress" || keys.join() !== "progressStatus") return false;
  const call = before.context.turn.calls.find(({ callId }) => callId === event.callId);
  return call?.phase === "running" && call.row === ts;
}

const isAllowed = (message: ClineMessage, isLast: boolean, keys: readonly string[], step: Step): boolean =>
  mayAmend(message, isLast, keys) || mayShowStatus(message, keys, step);

function violationOf({ event, message, isLast }: LogChange, step: Step): string | undefined {
  switch (event.type) {
    case "message.appended":
      return message !== undefined && event.message.ts <= message.ts
        ? `message ${event.message.ts} was appended after message ${message.ts}`
        : undefined;
    case "message.grown":
      return message !== undefined && mayGrow(message, isLast)
        ? undefined
        : `message ${nameOf(event.ts, message)} may not grow`;
    case "message.amended":
      return message !== undefined && isAllowed(message, isLast, Object.keys(event.patch), step)
        ? undefined
        : `message ${nameOf(event.ts, message)} may not be amended by ${JSON.stringify(event.patch)}`;
    default:
      return `the task emitted ${event.type}`;
  }
}

const nameOf = (ts: number, message: ClineMessage | undefined): string =>
  message === undefined ? `${ts}, which does not exist,` : `${ts} (${message.ask ?? message.say})`;

/** L5: `ts` strictly increases; only messages that may change are amended. */
export const identity: Law = {
  id: "L5",
  title: MONITORED_LAWS.L5.title,
  violation(step) {
    for (const change of logChanges(step)) {
      const what = violationOf(change, step);
      if (what !== undefined) return what;
    }
    return undefined;
  },
};
