import type { FormEvent } from "react";
import { askLabel } from "../../../present/asks.ts";
import type { AnswerBody, OpenAskInfo } from "../../../wire/http/api.ts";
import type { Moment } from "../../trace/moment.ts";
import type { TaskActions } from "../source.ts";
import { shortened } from "../text/printable.ts";
import { AskButtons } from "./ask-buttons.tsx";
import { Suggestions } from "./suggestions.tsx";
import type { Requests } from "./use-requests.ts";

/** A task at an event, with what a person can do there. */
export interface ActedTask {
  readonly taskId: string;
  readonly moment: Moment;
  readonly asks: readonly OpenAskInfo[];
  readonly actions: TaskActions;
}

export interface OpenActionsProps extends ActedTask {
  readonly canAct: boolean;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly run: Requests["run"];
}

/** The actions on an open task: answer the open ask, send a message, or cancel. */
export function OpenActions({ taskId, moment, asks, actions, canAct, text, onText, run }: OpenActionsProps) {
  const [ask] = asks;
  const { log } = moment.memory;
  const errorCode = log.at(-1)?.errorCode;
  const message = text.trim();
  const comment = message === "" ? {} : { text: message };
  const act = (action: () => Promise<unknown>): void => run(action, () => onText(""));
  const takes = (kind: "yes" | "no" | "text"): boolean => ask?.accepts.includes(kind) ?? false;
  const answer = (body: AnswerBody): void => {
    if (ask !== undefined) act(() => actions.answer(taskId, ask.askId, body));
  };
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (message === "" || !canAct) return;
    if (takes("text")) answer({ kind: "text", text: message });
    else if (moment.derived.isWaitingForInput && ask === undefined)
      act(() => actions.continue(taskId, message));
    else act(() => actions.queue(taskId, message));
  };
  return (
    <form className="sb-action-bar" aria-label="Actions" onSubmit={send}>
      {ask !== undefined && (
        <span className="sb-action-note">{shortened(askLabel(ask.kind, errorCode))}</span>
      )}
      {ask?.reason !== undefined && (
        <p className="sb-action-reason">Reason: {shortened(ask.reason, REASON_MAX_CHARS)}</p>
      )}
      {ask?.kind === "followup" && <Suggestions text={ask.text} isBusy={!canAct} onChoose={answer} />}
      <input
        value={text}
        onChange={({ target }) => onText(target.value)}
        placeholder={takes("text") ? "Answer, or add a comment" : "Message: sent with the next request"}
        aria-label="Message to the agent"
      />
      {ask !== undefined && (
        <AskButtons
          ask={ask}
          errorCode={errorCode}
          isBusy={!canAct}
          onAnswer={(body) => answer({ ...body, ...comment })}
          onCommand={(action) => act(() => actions[action](taskId, ask.askId))}
        />
      )}
      <button type="submit" disabled={!canAct || message === ""}>
        {takes("text") ? "Send" : "Queue"}
      </button>
      {(moment.derived.isRunning || moment.derived.state === "waiting_for_input") && (
        <button type="button" disabled={!canAct} onClick={() => act(() => actions.cancel(taskId))}>
          Cancel
        </button>
      )}
    </form>
  );
}

const REASON_MAX_CHARS = 300;
