import type { Entry } from "../../machines/conversation/index.ts";
import type { ClineMessage } from "../../machines/message/index.ts";

/** What the two files of a task's folder hold. */
export interface ToRoo {
  readonly ui: readonly ClineMessage[];
  readonly api: readonly Entry[];
}

/**
 * A task in the form of the frozen product's files. Our own fields (`closing`, `callId`, `exitCode`) stay: its
 * readers pass over what they don't know, and an import here loses nothing. Only a `text` of null is left out,
 * which that format does not have.
 */
export function toRoo(task: {
  readonly messages: Iterable<ClineMessage>;
  readonly conversation: Iterable<Entry>;
}): ToRoo {
  return { ui: Array.from(task.messages, withoutNull), api: [...task.conversation] };
}

function withoutNull(message: ClineMessage): ClineMessage {
  if (message.text !== null) return message;
  const { text: _null, ...row } = message;
  return row;
}
