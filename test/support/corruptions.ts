import type { ClineMessage } from "../../machines/message/index.ts";
import {
  applyEmitted,
  emptyRecordedState,
  type TaskContext,
  type TaskEmitted,
} from "../../machines/task/index.ts";
import type { Step } from "../../verify/index.ts";
import { viewAfter } from "../../verify/view.ts";

/** A macrostep in which one thing is wrong. */
export interface Corruption {
  readonly name: string;
  readonly step: Step;
}

const STATES = [
  "running.calling",
  "streaming.answering",
  "waiting_for_input.approving",
  "idle.completed",
  "resumable",
];

/** What a piece is about, in two words. */
function labelOf(piece: TaskEmitted): string {
  if (piece.type === "message.appended") return `row ${piece.message.ask ?? piece.message.say}`;
  if (piece.type === "effect.started" || piece.type === "effect.stopped")
    return `${piece.type} ${piece.effect}`;
  return piece.type;
}

/** The same macrostep with other pieces, of which the context knows nothing. */
const told = (step: Step, emitted: readonly TaskEmitted[]): Step => ({
  ...step,
  emitted,
  after: viewAfter(step.before, emitted, step.after),
});

/** The same macrostep with other pieces, and a context that goes with them. */
function done(step: Step, emitted: readonly TaskEmitted[]): Step {
  const { log, conversation, queue } = step.before.context;
  const memory = emitted.reduce(applyEmitted, { ...emptyRecordedState, log, conversation, queue });
  const context = {
    ...step.after.context,
    log: memory.log,
    conversation: memory.conversation,
    queue: memory.queue,
  };
  return { ...step, emitted, after: viewAfter(step.before, emitted, { state: step.after.state, context }) };
}

const ROWS: readonly (readonly [
  string,
  (row: ClineMessage, before: ClineMessage | undefined) => ClineMessage,
])[] = [
  ["with the time of the row before", (row, before) => ({ ...row, ts: before?.ts ?? row.ts - 1 })],
  ["partial or not", ({ partial, ...row }) => (partial === true ? row : { ...row, partial: true })],
  ["without text", ({ text: _text, ...row }) => row],
  ["of another call", (row) => ({ ...row, callId: "another" })],
  ["as an ask for approval", ({ say: _say, ...row }) => ({ ...row, type: "ask", ask: "tool" })],
  ["as an ask to go on", ({ say: _say, ...row }) => ({ ...row, type: "ask", ask: "resume_task" })],
  ["as an error", ({ ask: _ask, ...row }) => ({ ...row, type: "say", say: "error" })],
  [
    "as an open request",
    ({ ask: _ask, ...row }) => ({ ...row, type: "say", say: "api_req_started", text: "{}" }),
  ],
];

function piecesOtherwise(step: Step): Corruption[] {
  const { emitted } = step;
  return emitted.flatMap((piece, at) => {
    const label = labelOf(piece);
    const next = emitted[at + 1];
    const without = emitted.toSpliced(at, 1);
    const twice = emitted.toSpliced(at, 0, piece);
    return [
      { name: `${label} is not told`, step: told(step, without) },
      { name: `${label} is told twice`, step: told(step, twice) },
      { name: `${label} is left out`, step: done(step, without) },
      { name: `${label} comes twice`, step: done(step, twice) },
      ...(next === undefined
        ? []
        : [{ name: `${label} comes late`, step: done(step, without.toSpliced(at + 1, 0, piece)) }]),
    ];
  });
}

function rowsOtherwise(step: Step): Corruption[] {
  const { emitted, before } = step;
  return emitted.flatMap((piece, at) =>
    piece.type !== "message.appended"
      ? []
      : ROWS.map(([what, to]) => {
          const message = to(piece.message, before.context.log.at(-1));
          return { name: `a row comes ${what}`, step: done(step, emitted.with(at, { ...piece, message })) };
        }),
  );
}

/** What a call may falsely be said to be. Fields that its phase doesn't have are said too: nobody may mind those. */
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["by another name", { name: "another" }],
  ["by another id of the model's", { toolUseId: "another" }],
  ["as one that is asked about", { phase: "asking" }],
  ["as one that runs", { phase: "running" }],
  ["as one that was stopped", { phase: "stopped" }],
  ["as settled", { phase: "settled" }],
  ["as another child's", { childId: "another" }],
  ["as replayable", { replayable: true }],
  ["as not replayable", { replayable: false }],
  ["with other words beside it", { feedback: { text: "another", images: [] } }],
  ["with other arguments", { input: { another: true } }],
  ["with another outcome", { outcome: { kind: "done", content: [{ type: "text", text: "another" }] } }],
];

function callsOtherwise(step: Step): Corruption[] {
  return step.emitted.flatMap((piece, at) =>
    piece.type !== "call.changed"
      ? []
      : CALLS.map(([what, other]) => {
          const call = { ...piece.call, ...other } as typeof piece.call;
          return {
            name: `a call is told ${what}`,
            step: told(step, step.emitted.with(at, { ...piece, call })),
          };
        }),
  );
}

const MORE: readonly (readonly [string, TaskEmitted])[] = [
  ["a tool", { type: "effect.started", effect: "tool", id: "tool:another" }],
  ["a request", { type: "effect.started", effect: "context", id: "context:another" }],
  ["an end of a tool", { type: "effect.stopped", effect: "tool", id: "tool:another" }],
  [
    "a decision",
    { type: "decision.made", decision: { callId: "another", digest: "d", by: { person: true }, at: 1 } },
  ],
  [
    "words to the model",
    { type: "entry.appended", entry: { role: "user", content: [{ type: "text", text: "more" }] } },
  ],
  [
    "an error",
    { type: "message.appended", message: { ts: 999_999, type: "say", say: "error", text: "more" } },
  ],
];

const EVENTS: readonly (readonly [string, object])[] = [
  ["of another request", { requestId: -1 }],
  ["of another call", { callId: "another" }],
  ["of another ask", { askId: -1 }],
  ["of another wait", { timerId: "another" }],
  ["for another reason", { reason: "another" }],
];

function eventOtherwise(step: Step): Corruption[] {
  return EVENTS.filter(([, other]) => Object.keys(other).some((key) => key in step.event)).map(
    ([what, other]) => ({
      name: `the event is ${what}`,
      step: { ...step, event: { ...step.event, ...other } as Step["event"] },
    }),
  );
}

const keysOf = (context: TaskContext): (keyof TaskContext)[] => Object.keys(context) as (keyof TaskContext)[];

function contextOtherwise(step: Step): Corruption[] {
  const { before, after, emitted } = step;
  const changed = keysOf(after.context).filter((key) => before.context[key] !== after.context[key]);
  return changed.map((key) => {
    const context = { ...after.context, [key]: before.context[key] };
    return {
      name: `${key} stays as it was`,
      step: { ...step, after: viewAfter(before, emitted, { state: after.state, context }) },
    };
  });
}

/** Each way in which this macrostep could have gone wrong in one thing. */
export function corruptionsOf(step: Step): readonly Corruption[] {
  const elsewhere = STATES.filter((state) => state !== step.after.state).map((state) => ({
    name: `the machine is in ${state}`,
    step: { ...step, after: { ...step.after, state } },
  }));
  const more = MORE.map(([what, piece]) => ({
    name: `${what} more`,
    step: done(step, [...step.emitted, piece]),
  }));
  const nobody = { ...step, before: { ...step.before, activeActors: new Set<string>() } };
  return [
    ...piecesOtherwise(step),
    ...rowsOtherwise(step),
    ...callsOtherwise(step),
    ...contextOtherwise(step),
    ...eventOtherwise(step),
    ...more,
    ...elsewhere,
    { name: "nobody was at work before", step: nobody },
  ];
}
