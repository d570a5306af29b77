import type { QueuedMessage } from "../../../machines/task/task.events.ts";
import type { JsonEvent, JsonQueueItem } from "../../../wire/ndjson/event.ts";

/** Characters of a message that a queue event repeats. */
const TEXT_CHARS_MAX = 180;
const CUT = "...";

/** The event of a changed queue; undefined without a change. `before` is undefined before the first queue. */
export function queueEvent(
  before: readonly QueuedMessage[] | undefined,
  after: readonly QueuedMessage[],
): JsonEvent | undefined {
  const subtype = changeOf(before, after);
  if (subtype === undefined) return undefined;
  const depth = after.length;
  return {
    type: "queue",
    subtype,
    content: `queue ${subtype} (${depth} ${depth === 1 ? "item" : "items"})`,
    queueDepth: depth,
    queue: after.map(itemOf),
  };
}

function changeOf(
  before: readonly QueuedMessage[] | undefined,
  after: readonly QueuedMessage[],
): string | undefined {
  if (before === undefined) return after.length === 0 ? undefined : "snapshot";
  if (after.length > before.length) return "enqueued";
  if (after.length < before.length) return after.length === 0 ? "drained" : "dequeued";
  return after.every((item, index) => isSame(item, before[index])) ? undefined : "updated";
}

const isSame = (one: QueuedMessage, other: QueuedMessage | undefined): boolean =>
  one.id === other?.id &&
  one.text === other.text &&
  one.images.length === other.images.length &&
  one.images.every((image, index) => image === other.images[index]);

function itemOf({ id, text, images }: QueuedMessage): JsonQueueItem {
  const compact = text.replace(/\s+/g, " ").trim();
  const cut =
    compact.length > TEXT_CHARS_MAX ? `${compact.slice(0, TEXT_CHARS_MAX - CUT.length)}${CUT}` : compact;
  return { id, ...(cut !== "" && { text: cut }), ...(images.length > 0 && { imageCount: images.length }) };
}
