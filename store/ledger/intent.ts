import type { DurableFacts } from "../../machines/task/index.ts";

/** The id of the intent among the facts of a commit: undefined if it did not change, null if none is selected. */
export function intentIn({ intent }: Partial<DurableFacts>): string | null | undefined {
  if (intent === undefined) return undefined;
  return intent?.stage === "selected" ? intent.id : null;
}
