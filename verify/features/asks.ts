import type { Answer } from "../../machines/message/asks.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Feature } from "./feature.ts";

/** A person answers the open ask, or one that is no longer open. */
export const asks: Feature = {
  name: "asks",
  parts: {
    "last message": ({ view: { context } }) => {
      const last = context.log.at(-1);
      return last === undefined ? 0 : [last.ask ?? last.say, last.partial ?? 0, last.closing ?? 0];
    },
    ask: ({ view: { context } }) => {
      const { ask, log } = context;
      return ask === undefined ? 0 : [ask.ask, ask.id === log.at(-1)?.ts, ask.callId === undefined];
    },
  },
  events: ({ view: { context }, at }) => {
    const { ask, log } = context;
    const last = log.at(-1);
    const answer = (askId: number, given: Answer): TaskEvent => ({
      type: "ask.answered",
      at,
      askId,
      answer: given,
    });
    return [
      answer((ask?.id ?? 0) - 1, YES),
      // The last message is not open for an answer while it is partial.
      ...(last?.partial === true ? [answer(last.ts, YES)] : []),
      ...(ask === undefined ? [] : ANSWERS.map((given) => answer(ask.id, given))),
    ];
  },
};

const YES: Answer = { kind: "yes" };
const ANSWERS: readonly Answer[] = [
  YES,
  { kind: "yes", text: "and more" },
  { kind: "no" },
  { kind: "no", text: "but why" },
  { kind: "text", text: "words" },
];
