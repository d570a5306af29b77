import type { Log } from "../../../machines/message/log.ts";
import { isRequestMessage } from "../../../machines/message/request.ts";
import type { Moment } from "../../trace/moment.ts";

/** The rules of derivation; the first that applies decides the state. */
export const RULES: Readonly<Record<Moment["rule"], string>> = {
  R0: "There are no messages, so there is no task.",
  R1: "The last message is partial, so a response is streaming.",
  R2: "The last message is an ask, and its kind decides the state.",
  R3: "The newest request has no cost: it is open, and its response is streaming.",
  R4: "The last message is no ask and no request is open, so the agent is running.",
};

/** The position of the message that decides the state; -1 if there is none. */
export function decidingMessage(log: Log, rule: Moment["rule"]): number {
  if (rule !== "R3") return log.length - 1;
  for (let position = log.length - 1; position >= 0; position -= 1) {
    const message = log.at(position);
    if (message !== undefined && isRequestMessage(message)) return position;
  }
  return -1;
}
