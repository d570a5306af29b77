import {
  subtaskCancelled,
  subtaskDeleted,
  subtaskFailed,
  subtaskFinished,
} from "../../machines/conversation/notices.ts";
import type { CallIn, SubtaskOutcome } from "../../machines/tool-call/call.ts";

interface ExpectedResult {
  readonly kind: string;
  /** Part of the result for the model. */
  readonly result: string;
  /** Text of the message. */
  readonly text: string;
}

type Subtask = Pick<CallIn<"delegated">, "childId" | "isolation">;

const cut = (text: string): ExpectedResult => ({ kind: "interrupted", result: text, text });

/** The result that the end of a subtask must have. */
export function expectedResult({ childId, isolation }: Subtask, end: SubtaskOutcome): ExpectedResult {
  switch (end.kind) {
    case "finished":
      return { kind: "done", result: subtaskFinished(childId, end.result), text: end.result };
    case "cancelled":
      return cut(subtaskCancelled(childId, isolation));
    case "deleted":
      return cut(subtaskDeleted(childId));
    case "failed": {
      const text = subtaskFailed(childId, end.message);
      return { kind: "failed", result: JSON.stringify(text).slice(1, -1), text };
    }
  }
}
