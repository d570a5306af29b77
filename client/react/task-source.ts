import type { Answer } from "../../machines/message/asks.ts";
import { type AgentStateInfo, detectAgentState } from "../../machines/message/detect.ts";
import type { Log } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { OperationResult } from "../../machines/message/operation-result.ts";
import { hasNoWork } from "../../machines/message/states.ts";
import type { QueuedMessage } from "../../machines/task/task.events.ts";
import type { AskFacts } from "../../runtime/task/ask.ts";

/** The view of a task. */
export interface TaskView {
  /** Oldest first. */
  readonly messages: readonly ClineMessage[];
  /** The state that the messages mean (L1). */
  readonly state: AgentStateInfo;
  readonly queue: readonly QueuedMessage[];
}

/** Result of an action. A refusal has the code of what refused it, and a message for the user. */
export type ActionResult = OperationResult<string>;

export const DONE: ActionResult = { ok: true };

/** A task that a component shows. Its methods can be passed without it. */
export interface TaskSource {
  /** The task as it is now: the same object until it changes. */
  readonly read: () => TaskView;
  /** Call `listener` after each change, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void;
  /** The facts about the call of an ask that its message does not have, if the source knows them. */
  readonly factsOf?: (askId: number) => Pick<AskFacts, "diff" | "paths" | "rules">;
  /** Answer this ask and no other (L8). */
  readonly answer: (askId: number, answer: Answer) => Promise<ActionResult>;
  /** Start the task or continue it at rest; queue the message of one that works or waits. */
  readonly send: (text: string, images?: readonly string[]) => Promise<ActionResult>;
  readonly cancel: () => Promise<ActionResult>;
}

type Messages = Log | readonly ClineMessage[];

/** Returns a function that creates views: the same one for the same list of messages and the same queue. */
export function viewCache(): (messages: Messages, queue: readonly QueuedMessage[]) => TaskView {
  let last: { readonly from: Messages; readonly view: TaskView } | undefined;
  return (from, queue) => {
    if (last?.from !== from || last.view.queue !== queue) {
      const messages = "toArray" in from ? from.toArray() : from;
      last = { from, view: { messages, state: detectAgentState(from), queue } };
    }
    return last.view;
  };
}

/** Whether a message starts or continues the task. Otherwise it is queued. */
export const takesPrompt = ({ state }: AgentStateInfo): boolean => hasNoWork(state);
