import { isRequestRow, type Log } from "../../../../machines/message/index.ts";
import type { Moment } from "../../../../trace/index.ts";

/** The rules of derivation in a sentence each; the first that holds makes the state. */
export const RULES: Readonly<Record<Moment["rule"], string>> = {
  R0: "There are no rows, so there is no task.",
  R1: "The last row is still partial, so the model's answer is coming in.",
  R2: "The last row is an ask, and its kind says what the agent waits for.",
  R3: "The newest request has no cost yet: it is open, and the answer is coming in.",
  R4: "No ask stands last and no request is open, so the agent is at work.",
};

/** The position of the row that the state is by; -1 where there is none. */
export function decidingRow(log: Log, rule: Moment["rule"]): number {
  if (rule !== "R3") return log.length - 1;
  for (let position = log.length - 1; position >= 0; position -= 1) {
    const row = log.at(position);
    if (row !== undefined && isRequestRow(row)) return position;
  }
  return -1;
}
