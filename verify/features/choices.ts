import type { Answer } from "../../machines/message/asks.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Feature } from "./feature.ts";
import { otherMode } from "./modes.ts";

/** A person answers the open ask, and chooses a rule or a mode with the answer. */
export const choices: Feature = {
  name: "choices",
  events: ({ view: { context }, bounds: { permits, profiles }, at }) => {
    const { ask, mode } = context;
    if (ask === undefined) return [];
    const answers: readonly Answer[] = [
      ...(permits ? [YES_WITH_RULE] : []),
      ...(permits || profiles ? [{ kind: "text", text: "words", mode: otherMode(mode) } as const] : []),
    ];
    return answers.map((answer): TaskEvent => ({ type: "ask.answered", at, askId: ask.id, answer }));
  },
};

/** A yes that permits all calls of a rule from now on. */
export const YES_WITH_RULE = { kind: "yes", rule: "tool(write)" } as const;
