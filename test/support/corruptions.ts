import { applyConversationEvent } from "../../machines/conversation/index.ts";
import { applyLogEvent, type ClineMessage } from "../../machines/message/index.ts";
import type { TaskContext, TaskEmitted } from "../../machines/task/index.ts";
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
  let { log, conversation, queue } = step.before.context;
  for (const piece of emitted) {
    if (piece.type.startsWith("message.") || piece.type.startsWith("log."))
      log = applyLogEvent(log, piece as Parameters<typeof applyLogEvent>[1]);
    if (piece.type === "entry.appended" || piece.type === "entry.extended")
      conversation = applyConversationEvent(conversation, piece);
    if (piece.type === "queue.changed") queue = piece.queue;
  }
  const context = { ...step.after.context, log, conversation, queue };
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

const keysOf = (context: TaskContext): (keyof TaskContext)[] => Object.keys(context) as (keyof TaskContext)[];

function contextOtherwise(step: Step): Corruption[] {
  const { before, after } = step;
  const kept = keysOf(after.context)
    .filter((key) => before.context[key] !== after.context[key])
    .map((key) => ({ ...after.context, [key]: before.context[key] }));
  return kept.map((context, at) => ({
    name: `${keysOf(after.context).filter((key) => before.context[key] !== after.context[key])[at]} stays as it was`,
    step: { ...step, after: viewAfter(before, step.emitted, { state: after.state, context }) },
  }));
}

/** Each way in which this macrostep could have gone wrong in one thing. */
export function corruptionsOf(step: Step): readonly Corruption[] {
  const elsewhere = STATES.filter((state) => state !== step.after.state).map((state) => ({
    name: `the machine is in ${state}`,
    step: { ...step, after: { ...step.after, state } },
  }));
  return [...piecesOtherwise(step), ...rowsOtherwise(step), ...contextOtherwise(step), ...elsewhere];
}
