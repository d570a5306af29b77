import { useState } from "react";
import type { AskType } from "../../../../machines/message/asks.ts";
import { AskButtons } from "../../actions/ask-buttons.tsx";
import { errorText } from "../../model/format.ts";
import type { ListedTask } from "../../model/listed-task.ts";
import type { TaskActions } from "../../source.ts";
import { RowQuestion } from "./row-question.tsx";

export interface RowAnswersProps {
  readonly task: ListedTask;
  readonly actions: TaskActions;
  readonly onError: (message: string) => void;
  /** Open the task, to see a command that is not shown whole. Absent: a click on the row does it. */
  readonly onReview?: () => void;
}

/** Whether a row has answers: the task is open and asks a question, or waits or stopped at an ask that takes a yes or a no. */
export const hasAnswers = ({ group, info }: ListedTask): boolean =>
  info.isOpen &&
  info.held === undefined &&
  (group === "needs_you" || group === "failed") &&
  (info.asks[0]?.kind === QUESTION || (info.asks[0]?.accepts.some((kind) => kind !== "text") ?? false));

const QUESTION: AskType = "followup";
const COMMAND: AskType = "command";

/** Whether the answers of a row are suggestions and a field, which have a line of their own. */
export const asksQuestion = (task: ListedTask): boolean =>
  hasAnswers(task) && task.info.asks[0]?.kind === QUESTION;

/** Whether a row asks to run a command, which has a line of its own where it fits. */
export const asksCommand = (task: ListedTask): boolean =>
  hasAnswers(task) && task.info.asks[0]?.kind === COMMAND;

/** A command that a row shows whole at any width: one line of at most 100 printable ASCII characters. */
const SHOWN_WHOLE = /^[\x20-\x7e]{1,100}$/;

/** Whether a row would show only a part of the command that it asks to run. */
export const isCut = (task: ListedTask): boolean =>
  asksCommand(task) && !SHOWN_WHOLE.test(task.info.asks[0]?.text ?? "");

/** The answers to a task's ask: yes and no, or the answers to a question. Rules are chosen in the task itself, where each is shown whole. */
export function RowAnswers({ task, actions, onError, onReview }: RowAnswersProps) {
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
  if (isCut(task))
    return (
      <button type="button" onClick={onReview}>
        Review …
      </button>
    );
  if (ask.kind === QUESTION)
    return (
      <span className="sb-row-answers">
        <RowQuestion
          text={ask.text}
          isBusy={isBusy}
          onAnswer={(answer) => run(actions.answer(id, ask.askId, answer))}
        />
      </span>
    );
  return (
    <span className="sb-row-answers">
      {ask.kind === COMMAND && <code className="sb-row-command">{ask.text}</code>}
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
