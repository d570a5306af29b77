import {
  subtaskCancelled,
  subtaskDeleted,
  subtaskFailed,
  subtaskFinished,
  toolError,
} from "../conversation/notices.ts";
import type { CallIn, Outcome, SubtaskOutcome } from "../tool-call/call.ts";

/** The end of a subtask as a result. `content` is for the model, `message` for the user. */
export function formatOutcome(
  { childId, isolation }: Pick<CallIn<"delegated">, "childId" | "isolation">,
  outcome: SubtaskOutcome,
): { readonly kind: Outcome["kind"]; readonly content: string; readonly message: string } {
  switch (outcome.kind) {
    case "finished":
      return { kind: "done", content: subtaskFinished(childId, outcome.result), message: outcome.result };
    case "cancelled":
    case "deleted": {
      const message =
        outcome.kind === "deleted" ? subtaskDeleted(childId) : subtaskCancelled(childId, isolation);
      return { kind: "interrupted", content: message, message };
    }
    case "failed": {
      const message = subtaskFailed(childId, outcome.message);
      return { kind: "failed", content: toolError(message), message };
    }
  }
}
