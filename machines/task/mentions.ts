import { positionOf } from "../message/log.ts";
import type { Change } from "./change.ts";
import type { TaskContext } from "./task.context.ts";
import type { UserText } from "./task.setup.ts";

/** Records that the message `ts` of the user may have mentions, which the next request resolves. */
export function recordMentions(change: Change, ts: number, text: string): void {
  // A policy's answer is no text of the user.
  if (change.event.type === "ask.expired" || !text.includes("@")) return;
  change.set({ mentions: [...change.context.mentions, ts] });
}

/** The texts of the user that may have mentions, since the last request. */
export function mentioningTexts({ log, mentions }: TaskContext): readonly UserText[] {
  return mentions.flatMap((ts): UserText[] => {
    const message = log.at(positionOf(log, ts));
    if (message?.ts !== ts) return [];
    const origin = message.say === "user_feedback" ? "feedback" : "prompt";
    return [{ origin, text: message.text ?? "" }];
  });
}
