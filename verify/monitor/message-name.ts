import type { ClineMessage } from "../../machines/message/index.ts";

/** Type and kind of a message, e.g. `ask:tool`. */
export const nameOf = (message: ClineMessage): string =>
  `${message.type}:${message.ask ?? message.say ?? "?"}`;

/** Whether a message is an ask without a closing mark. Roo Code marks an answered one by `isAnswered`. */
export const isUnclosedAsk = (message: ClineMessage): boolean =>
  message.type === "ask" && message.closing === undefined && message.isAnswered !== true;
