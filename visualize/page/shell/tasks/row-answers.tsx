import { useState } from "react";
import { AskButtons } from "../../actions/ask-buttons.tsx";
import { errorText } from "../../model/format.ts";
import type { ListedTask } from "../../model/listed-task.ts";
import type { TaskActions } from "../../source.ts";

export interface RowAnswersProps {
  readonly task: ListedTask;
  readonly actions: TaskActions;
  readonly onError: (message: string) => void;
}

/** Whether a row has answers: the task is open and waits for a yes or a no, or stopped at an ask that takes one. */
export const hasAnswers = ({ group, info }: ListedTask): boolean =>
  info.isOpen &&
  info.held === undefined &&
  (group === "needs_you" || group === "failed") &&
  (info.asks[0]?.accepts.some((kind) => kind !== "text") ?? false);

/** The answers to a task's ask that need no text. Rules are chosen in the task itself, where each is shown whole. */
export function RowAnswers({ task, actions, onError }: RowAnswersProps) {
  const [isBusy, setBusy] = useState(false);
  const { id, asks, error } = task.info;
  const [ask] = asks;
  if (ask === undefined) return null;
  const { rules: _, ...asked } = ask;
  const run = (action: Promise<unknown>): void => {
    setBusy(true);
    onError("");
    action.catch((reason: unknown) => onError(errorText(reason))).finally(() => setBusy(false));
  };
  return (
    <span className="sb-row-answers">
      <AskButtons
        ask={asked}
        errorCode={error?.code}
        isBusy={isBusy}
        onAnswer={(answer) => run(actions.answer(id, ask.askId, answer))}
        onCommand={(action) => run(actions[action](id, ask.askId))}
      />
    </span>
  );
}
