import type { TaskOptions } from "../../runtime/options.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import { parseQuestion } from "../../wire/descriptor.ts";
import type { TaskSettings } from "./settings.ts";

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

/** Milliseconds after which the ask is answered without a person. Undefined: it waits for one. */
export const waitMs = (
  { id, type, text, accepts }: Ask,
  { expiry }: Pick<TaskSettings, "expiry">,
): number | undefined => expiry?.({ askId: id, ask: type, text, accepts })?.afterMs;
