import type { Ask, TaskOptions } from "../../runtime/index.ts";
import { parseQuestion } from "../../wire/index.ts";

/** Answers a question with its first suggestion after this time. It does not switch the mode: a person does. */
export function followupExpiry(afterMs: number): NonNullable<TaskOptions["expiry"]> {
  return ({ ask, text }) => {
    const [first] = ask === "followup" ? parseQuestion(text).suggest : [];
    if (first === undefined || first.answer.trim() === "") return undefined;
    return {
      afterMs,
      answer: { kind: "text", text: first.answer },
      rule: "permissions.followupTimeoutMs",
    };
  };
}

/** Whether the ask is answered without a person, once the time is over. */
export function isAnsweredLater(ask: Ask, followupTimeoutMs: number | undefined): boolean {
  const [first] = ask.kind === "followup" ? ask.suggestions : [];
  return followupTimeoutMs !== undefined && first !== undefined && first.answer.trim() !== "";
}
