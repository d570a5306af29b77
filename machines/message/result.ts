import type { MessageSequence } from "./log.ts";
import { isRequestMessage } from "./request.ts";

/**
 * The result that the newest completion offers: the result in its call, else the texts of the response before its
 * ask; texts that follow each other, as around citations, are one. Undefined without a completion.
 */
export function resultOf(messages: MessageSequence): string | undefined {
  const texts: string[] = [];
  let isOffered = false;
  let isAfterText = false;
  for (let fromEnd = 1; fromEnd <= messages.length; fromEnd += 1) {
    const message = messages.at(-fromEnd);
    if (!message) continue;
    if (message.say === "completion_result") return message.text ?? undefined;
    if (isOffered && isRequestMessage(message)) break;
    const text = isOffered && message.say === "text" ? message.text : undefined;
    if (text) texts.unshift(isAfterText ? text + texts.shift() : text);
    isAfterText = Boolean(text);
    isOffered ||= message.ask === "completion_result";
  }
  return texts.length === 0 ? undefined : texts.join("\n\n");
}
