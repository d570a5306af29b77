import {
  subtaskCancelled,
  subtaskDeleted,
  subtaskFailed,
  subtaskFinished,
} from "../../machines/conversation/notices.ts";
import type { SubtaskOutcome } from "../../machines/tool-call/call.ts";

interface ExpectedResult {
  readonly kind: string;
  /** Part of the result for the model. */
  readonly result: string;
  /** Text of the message. */
  readonly text: string;
}

/** The result that the end of a subtask must have. */
export function expectedResult(childId: string, end: SubtaskOutcome): ExpectedResult {
  switch (end.kind) {
    case "finished":
      return { kind: "done", result: subtaskFinished(childId, end.result), text: end.result };
    case "cancelled":
      return { kind: "interrupted", result: subtaskCancelled(childId), text: subtaskCancelled(childId) };
    case "deleted":
      return { kind: "interrupted", result: subtaskDeleted(childId), text: subtaskDeleted(childId) };
    case "failed": {
      const text = subtaskFailed(childId, end.message);
      return { kind: "failed", result: JSON.stringify(text).slice(1, -1), text };
    }
  }
}
