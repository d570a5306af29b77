import { useMemo, useSyncExternalStore } from "react";
import type { Answer } from "../../machines/message/asks.ts";
import { type EndError, endErrorOf } from "../../machines/message/end-error.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { ActionResult, TaskSource, TaskView } from "./task-source.ts";

/** The ask that waits for an answer. Its methods answer this ask, also when another one is shown in the meantime (L8). */
export interface ShownAsk {
  readonly message: ClineMessage;
  approve(text?: string): Promise<ActionResult>;
  reject(text?: string): Promise<ActionResult>;
  reply(text: string): Promise<ActionResult>;
}

/** A task as a component shows it. */
export interface UsedTask extends TaskView, Pick<TaskSource, "send" | "cancel"> {
  readonly ask: ShownAsk | undefined;
  /** The error that ended the last run, until the task continues. */
  readonly error: EndError | undefined;
}

/**
 * Show a task: the component renders again after each change. Create the source once, outside of the component or with
 * `useMemo`. See docs/guide/react.md.
 */
export function useTask(source: TaskSource): UsedTask {
  const view = useSyncExternalStore(source.subscribe, source.read, source.read);
  return useMemo(
    () => ({
      ...view,
      ask: askOf(view, source.answer),
      error: view.state.isRunning ? undefined : endErrorOf(view.messages),
      send: source.send,
      cancel: source.cancel,
    }),
    [view, source],
  );
}

function askOf({ state }: TaskView, answer: TaskSource["answer"]): ShownAsk | undefined {
  const message = state.lastMessage;
  if (message === undefined || !state.isWaitingForInput) return undefined;
  const say = (words: Answer): Promise<ActionResult> => answer(message.ts, words);
  return {
    message,
    approve: (text) => say({ kind: "yes", ...(text !== undefined && { text }) }),
    reject: (text) => say({ kind: "no", ...(text !== undefined && { text }) }),
    reply: (text) => say({ kind: "text", text }),
  };
}
