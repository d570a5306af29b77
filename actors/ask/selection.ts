import type { Answer } from "../../machines/message/asks.ts";
import type { Modes } from "../../tools/modes/modes.ts";
import { ruleError } from "../../tools/policy/permission-rule.ts";

/** The error of an answer that selects an invalid rule or mode; undefined for a valid one, and for an answer without either. */
export function invalidSelection(answer: Answer, { find, list }: Modes): string | undefined {
  if (answer.kind === "yes" && answer.rule !== undefined) {
    const error = ruleError(answer.rule);
    return error && `has the rule '${answer.rule.slice(0, 200)}': ${error}. Correct it.`;
  }
  if (answer.kind !== "text" || answer.mode === undefined || find(answer.mode) !== undefined)
    return undefined;
  const slugs = list.map(({ slug }) => slug).join(", ");
  return `has the mode '${answer.mode.slice(0, 100)}': expected one of ${slugs}.`;
}
