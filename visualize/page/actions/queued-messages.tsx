import type { QueuedMessage } from "../../../machines/task/task.events.ts";
import { plural } from "../../../present/plural.ts";
import { shortened } from "../text/printable.ts";

export interface QueuedMessagesProps {
  readonly queue: readonly QueuedMessage[];
  readonly isFolded: boolean;
  readonly isBusy: boolean;
  readonly onFolded: (isFolded: boolean) => void;
  readonly onEdit: (message: QueuedMessage) => void;
  readonly onRemove: (id: string) => void;
}

/** The messages that wait for the next request, each with buttons that edit and remove it. */
export function QueuedMessages(props: QueuedMessagesProps) {
  const { queue, isFolded, isBusy, onFolded, onEdit, onRemove } = props;
  if (queue.length === 0) return null;
  return (
    <div className="sb-queued">
      <button
        type="button"
        className="sb-quiet"
        aria-expanded={!isFolded}
        onClick={() => onFolded(!isFolded)}
      >
        {isFolded ? "▸" : "▾"} {plural(queue.length, "queued message")}
      </button>
      <ol aria-label="Queued messages" hidden={isFolded}>
        {queue.map((message, position) => (
          <li key={message.id}>
            <span>
              {shortened(message.text)} <Images of={message} />
            </span>
            <button
              type="button"
              aria-label={`Edit queued message ${position + 1}`}
              disabled={isBusy}
              onClick={() => onEdit(message)}
            >
              Edit
            </button>
            <button
              type="button"
              aria-label={`Remove queued message ${position + 1}`}
              disabled={isBusy}
              onClick={() => onRemove(message.id)}
            >
              Remove
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The number of images. They are not loaded: a journal may name any address. */
function Images({ of: { images } }: { readonly of: QueuedMessage }) {
  return images.length === 0 ? null : <i>with {plural(images.length, "image")}</i>;
}
