import type { LogEvent } from "../../machines/message/log.ts";

/** The text that the events of a commit stream, in characters. */
export function streamedChars(log: readonly LogEvent[]): number {
  let chars = 0;
  for (const event of log) {
    if (event.type === "message.grown") chars += event.text.length;
    else if (event.type === "message.appended" && event.message.partial === true)
      chars += event.message.text?.length ?? 0;
  }
  return chars;
}
