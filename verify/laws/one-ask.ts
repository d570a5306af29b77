import type { ClineMessage } from "../../machines/message/message.ts";
import { MONITORED_LAWS } from "../monitor/monitored-laws.ts";
import { logChanges } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

const isOpen = (message: ClineMessage | undefined): boolean =>
  message?.type === "ask" && message.closing === undefined;

function atMostOne({ after }: Step): string | undefined {
  const { log } = after.context;
  const [position, ...others] = after.logFacts.openAsks;
  if (others.length > 0) return `${others.length + 1} asks are open`;
  return position !== undefined && position !== log.length - 1
    ? `the open ask ${log.at(position)?.ask} is not the last message`
    : undefined;
}

/** Also within the macrostep, an ask is closed before anything follows it. */
function nothingAfterOpenAsk(step: Step): string | undefined {
  for (const { event, message } of logChanges(step)) {
    if (event.type !== "message.appended" || !isOpen(message)) continue;
    return `${event.message.ask ?? event.message.say} was appended after the open ask ${message?.ask}`;
  }
  return undefined;
}

function closedOnce(step: Step): string | undefined {
  const twice = logChanges(step).find(
    ({ event, message }) =>
      event.type === "message.amended" && event.patch.closing !== undefined && !isOpen(message),
  );
  return twice === undefined
    ? undefined
    : `the message ${twice.message?.ask ?? twice.message?.say} was closed and is no open ask`;
}

/** An open ask has an actor that takes its answer. */
function hasItsActor({ after }: Step): string | undefined {
  const last = after.context.log.at(-1);
  if (last === undefined || !isOpen(last) || last.partial === true) return undefined;
  return after.activeActors.has(`ask:${last.ts}`)
    ? undefined
    : `no actor takes the answer to the open ask ${last.ask}`;
}

/** L8: at most one ask is open, it is the last message, nothing is appended after it, and it is closed once. */
export const oneAsk: Law = {
  id: "L8",
  title: MONITORED_LAWS.L8.title,
  violation: firstViolation(atMostOne, nothingAfterOpenAsk, closedOnce, hasItsActor),
};
