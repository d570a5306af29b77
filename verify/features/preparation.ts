import type { AssistantBlock, TextBlock } from "../../machines/conversation/entry.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Feature, Moment } from "./feature.ts";
import { USAGE } from "./requests.ts";

/** The task is opened, and the context of a request is prepared. The end of an earlier request may come late. */
export const preparation: Feature = {
  name: "preparation",
  parts: {
    "pending text": ({ view: { context } }) => context.pending.length > 0,
    prepared: ({ view: { context } }) => (context.prepared === undefined ? 0 : 1),
  },
  events: (moment) => [...lateEvents(moment), ...contextEvents(moment)],
};

const ATTACHED: readonly TextBlock[] = [{ type: "text", text: "the content of a" }];
const LATE: readonly AssistantBlock[] = [{ type: "text", text: "late" }];
/** Long enough for a summary to be shorter. */
const LONG = "here ".repeat(200);

const lateEvents = ({ at }: Moment): TaskEvent[] => [
  { type: "task.opened", at },
  { type: "llm.finished", at, requestId: -1, stopReason: "end_turn", content: LATE, usage: USAGE },
  { type: "context.ready", at, requestId: -1, environment: "elsewhere", ends: [] },
];

function contextEvents(moment: Moment): TaskEvent[] {
  const requestId = preparedRequest(moment);
  if (requestId === undefined) return [];
  const { context } = moment.view;
  const ready = contextReady(moment, requestId);
  return [
    ready,
    ...(context.mentions.length > 0 ? [{ ...ready, attached: ATTACHED }] : []),
    { type: "context.failed", at: moment.at, requestId, message: "no context" },
  ];
}

/** The id of the request whose context is being prepared. */
export const preparedRequest = ({ view: { state, context } }: Moment): number | undefined =>
  state === "streaming.preparing" ? context.request : undefined;

/** The end of a preparation. Whether calls that were stopped had an effect remains uncertain. */
export function contextReady({ view: { context }, bounds, at }: Moment, requestId: number) {
  const environment = bounds.condenses ? LONG : "here";
  const stopped = context.turn.calls.flatMap((call) => (call.phase === "stopped" ? [call.callId] : []));
  const ends = stopped.map((callId) => ({ callId, content: "uncertain" as const }));
  return { type: "context.ready", at, requestId, environment, ends } as const;
}
