import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import type { QueuedMessage } from "../../../machines/task/task.events.ts";
import { plural } from "../../../present/plural.ts";

/** A queued message that a person edits. The edit outlives the message, which may be sent before it is saved. */
export interface QueuedEdit {
  readonly id: string;
  readonly text: string;
}

export interface QueuedEditorProps {
  readonly edit: QueuedEdit;
  /** The message in the queue. Undefined once it was sent or removed. */
  readonly message: QueuedMessage | undefined;
  /** The ask that the text answers if it is sent as another message. */
  readonly asked: ReactNode;
  readonly isBusy: boolean;
  /** The label of the button that sends the text as another message. */
  readonly send: string;
  readonly onChange: (edit: QueuedEdit) => void;
  readonly onSave: () => void;
  readonly onSend: () => void;
  readonly onClose: () => void;
}

/**
 * The text of a queued message as a person edits it. If the message leaves the queue first, the text can be sent as
 * another message.
 */
export function QueuedEditor(props: QueuedEditorProps) {
  const { edit, message, asked, isBusy, send, onChange, onSave, onSend, onClose } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const images = message?.images.length ?? 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (message === undefined) onSend();
    else onSave();
  };
  return (
    <form className="sb-action-bar sb-actions" aria-label="Edit the queued message" onSubmit={submit}>
      <span className="sb-action-note" role="status">
        {message === undefined
          ? "The message has left the queue without this change. Your text is kept here."
          : images === 0
            ? "The queued message"
            : `The queued message, with ${plural(images, "image")}`}
      </span>
      {message === undefined && asked}
      <textarea
        ref={field}
        className="sb-queued-text"
        aria-label="Text of the queued message"
        value={edit.text}
        onChange={({ target }) => onChange({ ...edit, text: target.value })}
      />
      <div className="sb-action-buttons">
        <button
          type="submit"
          className="sb-main"
          disabled={isBusy || (edit.text.trim() === "" && images === 0)}
        >
          {message === undefined ? `${send} as another message` : "Save"}
        </button>
        <button type="button" onClick={onClose}>
          {message === undefined ? "Discard" : "Back"}
        </button>
      </div>
    </form>
  );
}
