import type { SnapshotFrom } from "xstate";
import { type Answer, answerHandling } from "../../../machines/message/asks.ts";
import { dottedPath } from "../../../machines/message/states.ts";
import { reviewTimerId } from "../../../machines/task/approval.ts";
import { rateLimitTimerId } from "../../../machines/task/pacing.ts";
import { deliveryTimerId } from "../../../machines/task/queue.ts";
import { NO_USAGE, retryTimerId } from "../../../machines/task/request.ts";
import type { TaskContext } from "../../../machines/task/task.context.ts";
import type { TaskEvent } from "../../../machines/task/task.events.ts";
import type { taskMachine } from "../../../machines/task/task.machine.ts";
import { callsIn } from "../../../machines/task/turn.ts";
import { candidatesOf } from "./candidates.ts";

/** Makes the events of some types that could come in a context. */
type Examples = (context: TaskContext, at: number) => readonly TaskEvent[];

/** The answers that the open ask accepts. */
const answers: Examples = ({ ask }, at) => {
  if (ask === undefined) return [];
  const given: readonly Answer[] = [
    { kind: "yes" },
    { kind: "no" },
    { kind: "text", text: "Do it differently." },
  ];
  return given
    .filter(({ kind }) => answerHandling(ask.ask, kind) === "accepted")
    .map((answer) => ({ type: "ask.answered", at, askId: ask.id, answer }));
};

const interruptions: Examples = (_context, at) => [
  { type: "task.cancel", at, origin: "user" },
  { type: "journal.failed", at, message: "No space is left on the device." },
];

/** The ends of the running calls. */
const results: Examples = (context, at) =>
  callsIn(context, "running").flatMap(({ callId }): readonly TaskEvent[] => [
    { type: "tool.finished", at, callId, content: [{ type: "text", text: "Done." }] },
    { type: "tool.failed", at, callId, error: "It failed." },
  ]);

/** The ends of the open request. */
const responses: Examples = ({ request: requestId }, at) => {
  if (requestId === undefined) return [];
  const usage = NO_USAGE;
  const failure = { code: "overloaded_error", message: "The endpoint is overloaded.", retryable: true };
  const refusal = { code: "invalid_request_error", message: "The request is invalid.", retryable: false };
  return [
    {
      type: "llm.finished",
      at,
      requestId,
      stopReason: "end_turn",
      content: [{ type: "text", text: "Done." }],
      usage,
    },
    { type: "llm.failed", at, requestId, failure, usage, jitter: 0 },
    { type: "llm.failed", at, requestId, failure: refusal, usage, jitter: 0 },
  ];
};

/** The timer that runs in a state. */
const TIMERS: Readonly<Record<string, (context: TaskContext) => string>> = {
  "running.retrying": retryTimerId,
  "running.pacing": rateLimitTimerId,
  "idle.delivering": deliveryTimerId,
  "streaming.finishing": reviewTimerId,
};

const wishes: Examples = (_context, at) => [
  { type: "queue.added", at, item: { id: "supposed", text: "And then this.", images: [] } },
  { type: "permissions.changed", at, mode: "plan" },
  { type: "permissions.changed", at, mode: "bypass" },
  { type: "task.pause", at },
  { type: "compact.requested", at, instructions: "" },
];

const EXAMPLES: readonly Examples[] = [answers, results, responses, interruptions, wishes];

/** Events that the machine has transitions for in its state, as they could come from a person or from its actors. */
export function possibleEvents({ value, context }: SnapshotFrom<typeof taskMachine>): readonly TaskEvent[] {
  const path = dottedPath(value);
  const at = context.cause?.at ?? 0;
  const timerId = TIMERS[path]?.(context);
  const fired: readonly TaskEvent[] = timerId === undefined ? [] : [{ type: "timer.fired", at, timerId }];
  return [...EXAMPLES.flatMap((examples) => examples(context, at)), ...fired].filter(
    ({ type }) => candidatesOf(path, type, () => PASSES).length > 0,
  );
}

const PASSES = { passes: true, reads: [] } as const;
