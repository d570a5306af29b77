/** The intent among the facts of a commit: undefined if it did not change, null if the task has none. */
export function intentIn(facts: object): string | null | undefined {
  if (!("intent" in facts)) return undefined;
  return typeof facts.intent === "string" ? facts.intent : null;
}
