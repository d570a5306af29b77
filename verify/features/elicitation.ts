import type { ElicitationAnswer } from "../../machines/message/elicitation.ts";
import type { OpenAsk } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Feature, Moment } from "./feature.ts";

/** A running call asks a person for input. */
export const elicitation: Feature = {
  name: "elicitation",
  events: (moment) => (moment.bounds.elicits ? [...answersAt(moment), ...requestsAt(moment)] : []),
};

const ELICITED: readonly ElicitationAnswer[] = [
  { action: "accept", content: { name: "x" } },
  { action: "decline" },
  { action: "cancel" },
];

const answersAt = ({ view: { context }, at }: Moment): TaskEvent[] =>
  context.ask?.ask === "followup" ? answersTo(context.ask, at) : [];

/** The answers to a request for input, to the open ask and to an earlier one, and the answer of a policy. */
function answersTo({ id }: OpenAsk, at: number): TaskEvent[] {
  const answer = { kind: "text", text: "words" } as const;
  const answered = [id, id - 1].flatMap((askId) =>
    ELICITED.map((elicited): TaskEvent => ({ type: "ask.answered", at, askId, answer, elicited })),
  );
  return [
    ...answered,
    { type: "ask.expired", at, askId: id, answer, elicited: { action: "decline" }, rule: "deadline" },
  ];
}

const requestsAt = ({ view: { context }, at }: Moment): TaskEvent[] =>
  context.turn.calls.flatMap(({ phase, callId }) => (phase === "running" ? [inputRequest(callId, at)] : []));

/** The request of a call for input. */
export const inputRequest = (callId: string, at: number): TaskEvent => ({
  type: "tool.elicitation.requested",
  at,
  callId,
  elicitationId: "1",
  request: { mode: "url", from: "a server", message: "sign in", url: "https://example.com" },
});
