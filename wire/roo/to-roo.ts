import type { Entry } from "../../machines/conversation/index.ts";
import type { ClineMessage } from "../../machines/message/index.ts";

/** Content of the two files of a task folder. */
export interface ToRoo {
  readonly ui: readonly ClineMessage[];
  readonly api: readonly Entry[];
}

/**
 * Convert a task to the files of Roo Code. Our own fields (`closing`, `callId`, `exitCode`) are kept: Roo Code ignores
 * unknown fields, and an import loses nothing. A `text` of null is left out, as the format does not allow it.
 */
export function toRoo(task: {
  readonly messages: Iterable<ClineMessage>;
  readonly conversation: Iterable<Entry>;
}): ToRoo {
  return { ui: Array.from(task.messages, withoutNull), api: [...task.conversation] };
}

function withoutNull(message: ClineMessage): ClineMessage {
  if (message.text !== null) return message;
  const { text: _null, ...rest } = message;
  return rest;
}
