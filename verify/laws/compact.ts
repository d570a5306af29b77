import type { Conversation } from "../../machines/conversation/conversation.ts";
import type { Entry } from "../../machines/conversation/entry.ts";
import { entriesWithImages } from "../../machines/conversation/images.ts";
import type { TaskEmitted } from "../../machines/task/task.events.ts";
import { appendedMessages, logChanges } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

const replacements = ({ emitted }: Step) => emitted.filter((event) => event.type === "entries.replaced");

/** Whether the entries from `count` on are the newest ones, unchanged. Unchanged entries are the same objects. */
function keepsFrom(before: Conversation, after: Conversation, count: number): boolean {
  const added = after.length - (before.length - count);
  for (let position = count; position < before.length; position += 1)
    if (before.at(position) !== after.at(position - count + added)) return false;
  return true;
}

/** Whether the endpoint refuses an image of the open request. */
const isImageRefusal = ({ before, event }: Step): boolean =>
  (event.type === "llm.failed" || event.type === "condense.failed") &&
  event.failure.code === "image_refused" &&
  event.requestId === before.context.request &&
  (before.state === "streaming.receiving" || before.state === "streaming.condensing") &&
  entriesWithImages(before.context.conversation) > 0;

type Block = Entry["content"][number];

/** Whether two lists of blocks differ in texts in place of images alone. */
function areSameButImages(before: readonly Block[], after: readonly Block[]): boolean {
  return (
    before.length === after.length &&
    before.every((block, at) => {
      const now = after[at];
      if (block.type === "image") return now?.type === "text";
      if (block.type !== "tool_result" || now?.type !== "tool_result") return areEqual(block, now);
      const isSameResult = areEqual({ ...block, content: [] }, { ...now, content: [] });
      return isSameResult && areSameButImages(block.content, now.content);
    })
  );
}

const areEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A refused image is replaced by a text with all others, once and with a message; nothing else changes. */
function replacesImages(step: Step): string | undefined {
  if (!isImageRefusal(step)) return undefined;
  const [before, after] = [step.before.context.conversation, step.after.context.conversation];
  if (entriesWithImages(after) > 0) return "an image was left in the conversation";
  const changed = before
    .toArray()
    .findIndex((entry, at) => !areSameButImages(entry.content, after.at(at)?.content ?? []));
  if (changed >= 0) return `entry ${changed} changed with its images`;
  return appendedMessages(step).some(({ say }) => say === "error") ? undefined : "nobody was told";
}

function keepsNewestTurns(step: Step): string | undefined {
  if (isImageRefusal(step)) return undefined;
  const [before, after] = [step.before.context.conversation, step.after.context.conversation];
  const [replaced, second] = replacements(step);
  if (second !== undefined) return "the conversation was replaced twice";
  if (replaced === undefined)
    return before.length === 0 || after.length >= before.length ? undefined : "entries were lost";
  const { count, by } = replaced;
  if (!keepsFrom(before, after, count)) return "kept entries were changed";
  // A cut before a response separates no call from its result.
  if (by.length !== 1 || by[0]?.role !== "user" || before.at(count)?.role !== "assistant")
    return `expected one user entry before a response, got ${by.length} before ${before.at(count)?.role}`;
  return count < before.length ? undefined : "no turn was kept";
}

/** Whether the message of a summary that replaces entries is complete. */
export const isCondensed = (step: Step): boolean =>
  appendedMessages(step).some(({ contextCondense }) => contextCondense !== undefined) ||
  logChanges(step).some(
    (change) => change.event.type === "message.amended" && change.event.patch.contextCondense !== undefined,
  );

/** The old conversation stands until the end of a condensation, and its message comes with the new one. */
function isAnnounced(step: Step): string | undefined {
  if (isImageRefusal(step)) return undefined;
  const { before, after, event } = step;
  const replaced = replacements(step).length > 0;
  const appended = appendedMessages(step);
  const condensed = isCondensed(step);
  const truncated = appended.some(({ say }) => say === "sliding_window_truncation");
  if (replaced !== (condensed || truncated))
    return "the conversation and its message did not change together";
  if (!replaced) return undefined;
  if (before.state !== "streaming.condensing" || after.state !== "streaming.receiving")
    return `the conversation was replaced from ${before.state} to ${after.state}`;
  if (condensed && event.type !== "condense.finished") return `${event.type} condensed the conversation`;
  return undefined;
}

/** A request with fewer tokens than an estimate is sent as it is: only the number of tokens changes. */
function staysUnchanged({ before, after, event, emitted }: Step): string | undefined {
  if (event.type !== "condense.unneeded" || event.requestId !== before.context.request) return undefined;
  if (before.state !== "streaming.condensing") return undefined;
  if (after.state !== "streaming.receiving") return `an unneeded condensation ended in ${after.state}`;
  const changed = emitted.find(({ type }) => !UNCHANGING.has(type));
  if (changed !== undefined) return `an unneeded condensation emitted ${changed.type}`;
  const { contextTokens } = after.context;
  return contextTokens === event.tokens
    ? undefined
    : `the endpoint counted ${event.tokens} tokens, and the task has ${contextTokens}`;
}

const UNCHANGING: ReadonlySet<TaskEmitted["type"]> = new Set([
  "facts.changed",
  "effect.started",
  "effect.stopped",
]);

/** A request that the machine prepares is condensed once. */
function isOncePerRequest({ before, after }: Step): string | undefined {
  const entered = before.state !== "streaming.condensing" && after.state === "streaming.condensing";
  return entered && before.state !== "streaming.preparing" && before.state !== "streaming.hooking"
    ? `a condensation began in ${before.state}`
    : undefined;
}

/** COMPACT: the conversation is the old or the new one, never a mixture, and pairs of calls and results stay whole. */
export const compact: Law = {
  id: "COMPACT",
  title:
    "a condensed conversation is a user entry and the newest turns unchanged, in one commit with its message",
  violation: firstViolation(keepsNewestTurns, isAnnounced, staysUnchanged, isOncePerRequest, replacesImages),
};
