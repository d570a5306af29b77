import { type FormEvent, useState } from "react";
import { askLabel } from "../../../present/asks.ts";
import type { AnswerBody, OpenAskInfo } from "../../../wire/http/api.ts";
import type { Moment } from "../../trace/moment.ts";
import { errorText } from "../model/format.ts";
import type { TaskActions } from "../source.ts";
import { shortened } from "../text/printable.ts";
import { AskButtons } from "./ask-buttons.tsx";
import { Suggestions } from "./suggestions.tsx";

export interface ActionBarProps {
  readonly taskId: string;
  readonly moment: Moment;
  readonly asks: readonly OpenAskInfo[];
  /** Whether the newest event is shown: actions need it. */
  readonly isAtEnd: boolean;
  /** Whether the process of the task ended before the task settled. */
  readonly isInterrupted: boolean;
  /** Whether the task is open. */
  readonly isOpen: boolean;
  readonly actions: TaskActions;
  /** Called with an error message; empty: clear it. */
  readonly onError: (message: string) => void;
  readonly onOpened: (taskId: string) => void;
  readonly onLive: () => void;
}

/** The actions on a task: answer the open ask, send a message, cancel, or fork at an earlier event. */
export function ActionBar(props: ActionBarProps) {
  const { taskId, moment, asks, isAtEnd, isOpen, isInterrupted, actions, onError, onOpened, onLive } = props;
  const [text, setText] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [ask] = asks;
  const errorCode = moment.memory.log.at(-1)?.errorCode;

  const run = (action: () => Promise<unknown>): void => {
    setBusy(true);
    onError("");
    action()
      .then(() => setText(""))
      .catch((error: unknown) => onError(errorText(error)))
      .finally(() => setBusy(false));
  };
  const button = (name: string, action: () => Promise<unknown>, className?: string) => (
    <button type="button" className={className} disabled={isBusy} onClick={() => run(action)}>
      {name}
    </button>
  );
  const fork = () => actions.fork(taskId, moment.event.record.seq).then(({ id }) => onOpened(id));
  const open = () => actions.open(taskId).then(({ id }) => onOpened(id));

  if (!isAtEnd)
    return (
      <section className="sb-action-bar" aria-label="Actions">
        <span className="sb-action-note">You are viewing a past event.</span>
        {button("Fork from here", fork)}
        <button type="button" className="sb-main" onClick={onLive}>
          Go to the end
        </button>
      </section>
    );
  if (!isOpen)
    return (
      <section className="sb-action-bar" aria-label="Actions">
        <span className="sb-action-note">
          {isInterrupted
            ? "The process of this task ended before the task settled. Open it to resume."
            : "This task is recorded and not open."}
        </span>
        {button("Fork", fork)}
        {button("Open task", open, "sb-main")}
      </section>
    );

  const message = text.trim();
  const comment = message === "" ? {} : { text: message };
  const takes = (kind: "yes" | "no" | "text"): boolean => ask?.accepts.includes(kind) ?? false;
  const answer = (body: AnswerBody) => async (): Promise<void> => {
    if (ask !== undefined) await actions.answer(taskId, ask.askId, body);
  };
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (message === "") return;
    if (takes("text")) run(answer({ kind: "text", text: message }));
    else if (moment.derived.isWaitingForInput && ask === undefined)
      run(() => actions.continue(taskId, message));
    else run(() => actions.queue(taskId, message));
  };
  return (
    <form className="sb-action-bar" aria-label="Actions" onSubmit={send}>
      {ask !== undefined && (
        <span className="sb-action-note">{shortened(askLabel(ask.kind, errorCode))}</span>
      )}
      {ask?.reason !== undefined && (
        <p className="sb-action-reason">Reason: {shortened(ask.reason, REASON_MAX_CHARS)}</p>
      )}
      {ask?.kind === "followup" && (
        <Suggestions text={ask.text} isBusy={isBusy} onChoose={(body) => run(answer(body))} />
      )}
      <input
        value={text}
        onChange={({ target }) => setText(target.value)}
        placeholder={takes("text") ? "Answer, or add a comment" : "Message: sent with the next request"}
        aria-label="Message to the agent"
      />
      {ask !== undefined && (
        <AskButtons
          ask={ask}
          errorCode={errorCode}
          isBusy={isBusy}
          onAnswer={(body) => run(answer({ ...body, ...comment }))}
          onCommand={(action) => run(() => actions[action](taskId, ask.askId))}
        />
      )}
      <button type="submit" disabled={isBusy || message === ""}>
        {takes("text") ? "Send" : "Queue"}
      </button>
      {(moment.derived.isRunning || moment.derived.state === "waiting_for_input") &&
        button("Cancel", () => actions.cancel(taskId))}
    </form>
  );
}

const REASON_MAX_CHARS = 300;
