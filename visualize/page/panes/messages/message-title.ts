import type { ClineMessage } from "../../../../machines/message/message.ts";
import { childOf } from "../../model/background-subtasks.ts";
import { numberIn } from "../../model/subtask-name.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import type { AskStatus } from "./ask-status.ts";
import { askTitle } from "./ask-title.ts";

export interface TitledMessage {
  readonly message: ClineMessage;
  readonly position: number;
  /** Undefined: it is no ask. */
  readonly status: AskStatus | undefined;
  readonly at: number;
}

/** The title of a message at event `at`. Undefined: the title of its kind. */
export function messageTitle(
  { message, position, status, at }: TitledMessage,
  trace: TraceSnapshot,
): string | undefined {
  if (status === undefined) return message.say === "subtask_result" ? resultTitle(message, trace) : undefined;
  return status.isOpen === true ? undefined : askTitle(message, position, trace.index, at);
}

/** The title of a subtask's result: it names the subtask by its number, since several may work at once. */
function resultTitle({ callId }: ClineMessage, { taskId, index }: TraceSnapshot): string | undefined {
  const child = callId === undefined ? undefined : childOf(index, callId);
  return child === undefined ? undefined : `Result of subtask ${numberIn(child, taskId)}`;
}
