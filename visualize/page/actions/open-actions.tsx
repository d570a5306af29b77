import { type FormEvent, useState } from "react";
import { hasNoWork } from "../../../machines/message/states.ts";
import type { AnswerBody, OpenAskInfo } from "../../../wire/http/api.ts";
import type { Moment } from "../../trace/moment.ts";
import type { TaskActions } from "../source.ts";
import { answerWords } from "./answer-words.ts";
import { AskButtons } from "./ask-buttons.tsx";
import { Asked } from "./asked.tsx";
import { AttachButton, AttachedImages } from "./attached-images.tsx";
import { ProposalEditor } from "./proposal-editor.tsx";
import { type QueuedEdit, QueuedEditor } from "./queued-editor.tsx";
import { QueuedMessages } from "./queued-messages.tsx";
import { Suggestions } from "./suggestions.tsx";
import { useAttachments } from "./use-attachments.ts";
import { useEdit } from "./use-edit.ts";
import type { Requests } from "./use-requests.ts";

/** A task at an event, with what a person can do there. */
export interface ActedTask {
  readonly taskId: string;
  readonly moment: Moment;
  readonly asks: readonly OpenAskInfo[];
  readonly actions: TaskActions;
  /** The types of the held events; absent while nothing is held. */
  readonly held?: readonly string[] | undefined;
}

export interface OpenActionsProps extends ActedTask {
  readonly canAct: boolean;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** The edit of a queued message. Undefined while none is edited. */
  readonly queuedEdit: QueuedEdit | undefined;
  readonly onQueuedEdit: (edit: QueuedEdit | undefined) => void;
  /** Called with the reason why an image is not attached. */
  readonly onError: (message: string) => void;
  readonly run: Requests["run"];
}

/** The actions on an open task: answer the open ask, send a message, pause, or cancel. */
export function OpenActions({
  taskId,
  moment,
  asks,
  actions,
  held,
  canAct,
  text,
  onText,
  queuedEdit,
  onQueuedEdit,
  onError,
  run,
}: OpenActionsProps) {
  const [ask] = asks;
  // An open ask needs the place of the queue, until a person unfolds it.
  const [isQueueFolded, setQueueFolded] = useState<boolean>();
  const { log, queue } = moment.memory;
  const errorCode = log.at(-1)?.errorCode;
  const message = text.trim();
  const attachments = useAttachments(onError);
  const images = attachments.images.map(({ url }) => url);
  const isEmpty = message === "" && images.length === 0;
  const comment = { ...(message !== "" && { text: message }), ...(images.length > 0 && { images }) };
  const act = (action: () => Promise<unknown>): void =>
    run(action, () => {
      onText("");
      attachments.clear();
    });
  const isPausing = moment.memory.facts.pause === "asked";
  const isAtWork = !hasNoWork(moment.derived.state);
  const takes = (kind: "yes" | "no" | "text"): boolean => ask?.accepts.includes(kind) ?? false;
  const answer = (body: AnswerBody): void => {
    if (ask !== undefined) act(() => actions.answer(taskId, ask.askId, body));
  };
  const { edit, ...editing } = useEdit(taskId, ask, actions);
  if (edit !== undefined && ask !== undefined)
    return (
      <ProposalEditor
        edit={edit}
        yes={answerWords(ask, errorCode).yes}
        isBusy={!canAct}
        onChange={editing.change}
        onSave={() => answer({ kind: "yes", amendment: { ...edit.draft }, ...comment })}
        onClose={editing.close}
      />
    );
  const sent = (text: string, images: string[]): Promise<void> => {
    if (ask !== undefined && takes("text"))
      return actions.answer(taskId, ask.askId, { kind: "text", text, ...(images.length > 0 && { images }) });
    return moment.derived.isWaitingForInput && ask === undefined
      ? actions.continue(taskId, text, images)
      : actions.queue(taskId, text, images);
  };
  const asked = ask !== undefined && <Asked ask={ask} errorCode={errorCode} />;
  const sendLabel = takes("text") ? "Send" : "Queue";
  if (queuedEdit !== undefined) {
    const close = (): void => onQueuedEdit(undefined);
    return (
      <QueuedEditor
        key={queuedEdit.id}
        edit={queuedEdit}
        message={queue.find(({ id }) => id === queuedEdit.id)}
        asked={takes("text") && asked}
        isBusy={!canAct}
        send={sendLabel}
        onChange={onQueuedEdit}
        onSave={() => run(() => actions.editQueued(taskId, queuedEdit.id, queuedEdit.text), close)}
        onSend={() => run(() => sent(queuedEdit.text, []), close)}
        onClose={close}
      />
    );
  }
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (!isEmpty && canAct) act(() => sent(message, images));
  };
  return (
    <form className="sb-action-bar sb-actions" aria-label="Actions" onSubmit={send} {...attachments.form}>
      {asked}
      {ask?.kind === "followup" && <Suggestions text={ask.text} isBusy={!canAct} onChoose={answer} />}
      <QueuedMessages
        queue={queue}
        isFolded={isQueueFolded ?? ask !== undefined}
        onFolded={setQueueFolded}
        isBusy={!canAct}
        onEdit={({ id, text: queued }) => onQueuedEdit({ id, text: queued })}
        onRemove={(id) => run(() => actions.unqueue(taskId, id))}
      />
      <AttachedImages attachments={attachments} />
      <div className="sb-action-row">
        <input
          value={text}
          onChange={({ target }) => onText(target.value)}
          placeholder={takes("text") ? "Answer, or add a comment" : "Message: sent with the next request"}
          aria-label="Message to the agent"
        />
        <AttachButton attachments={attachments} isBusy={!canAct} />
        <div className="sb-action-buttons">
          {ask !== undefined && (
            <AskButtons
              ask={ask}
              errorCode={errorCode}
              isBusy={!canAct}
              onAnswer={(body) => answer({ ...body, ...comment })}
              onEdit={() => run(editing.open)}
              onCommand={(action) => act(() => actions[action](taskId, ask.askId))}
            />
          )}
          <button type="submit" disabled={!canAct || isEmpty}>
            {sendLabel}
          </button>
          {held !== undefined && (
            <button type="button" disabled={!canAct} onClick={() => run(() => actions.resume(taskId))}>
              Release
            </button>
          )}
          {isAtWork && (
            <>
              <button
                type="button"
                disabled={!canAct || isPausing}
                title="Rest before the next request"
                onClick={() => run(() => actions.pause(taskId))}
              >
                {isPausing ? "Pausing …" : "Pause"}
              </button>
              <button type="button" disabled={!canAct} onClick={() => act(() => actions.cancel(taskId))}>
                Cancel
              </button>
            </>
          )}
        </div>
      </div>
    </form>
  );
}
