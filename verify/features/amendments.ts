import type { Answer } from "../../machines/message/asks.ts";
import type { OpenAsk } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import { YES_WITH_RULE } from "./choices.ts";
import type { Feature } from "./feature.ts";

/** A person amends the arguments of a call with their approval. */
export const amendments: Feature = {
  name: "amendments",
  parts: {
    // The positions of the amended calls.
    amendments: ({ view: { context } }) =>
      context.turn.calls.flatMap((call, position) => ("amendment" in call ? position : [])),
  },
  events: ({ view: { context }, bounds, at }) =>
    bounds.amends && context.ask?.ask === "tool" ? amendedAnswers(context.ask, bounds.permits, at) : [],
};

const AMENDMENT = { content: "edited" };

/** A yes with an amendment, to the open ask and to an earlier one. */
function amendedAnswers({ id, callId = "" }: OpenAsk, permits: boolean, at: number): TaskEvent[] {
  const answers: Answer[] = [
    { kind: "yes", amendment: AMENDMENT },
    { kind: "yes", text: "and more", amendment: AMENDMENT },
    ...(permits ? [{ ...YES_WITH_RULE, amendment: AMENDMENT }] : []),
  ];
  return [id, id - 1].flatMap((askId) =>
    answers.map(
      (answer): TaskEvent => ({ type: "ask.answered", at, askId, answer, digest: amendedDigest(callId) }),
    ),
  );
}

/** The digest of the amended arguments of a call. */
export const amendedDigest = (callId: string): string => `${callId}, amended`;
