import type { ClineMessage } from "../../machines/message/message.ts";
import { applyEmitted, emptyRecordedState } from "../../machines/task/commit.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEmitted } from "../../machines/task/task.events.ts";
import type { Step } from "../../verify/index.ts";
import { viewAfter } from "../../verify/view.ts";

/** A macrostep with one fault. */
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

function labelOf(event: TaskEmitted): string {
  if (event.type === "message.appended") return `message ${event.message.ask ?? event.message.say}`;
  if (event.type === "effect.started" || event.type === "effect.stopped")
    return `${event.type} ${event.effect}`;
  return event.type;
}

/** The macrostep with other emitted events and the same context. */
const withEmitted = (step: Step, emitted: readonly TaskEmitted[]): Step => ({
  ...step,
  emitted,
  after: viewAfter(step.before, emitted, step.after),
});

/** The macrostep with other emitted events and the context that follows from them. */
function withApplied(step: Step, emitted: readonly TaskEmitted[]): Step {
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

const MESSAGES: readonly (readonly [
  string,
  (message: ClineMessage, before: ClineMessage | undefined) => ClineMessage,
])[] = [
  [
    "with the ts of the previous message",
    (message, before) => ({ ...message, ts: before?.ts ?? message.ts - 1 }),
  ],
  [
    "with inverted partial",
    ({ partial, ...message }) => (partial === true ? message : { ...message, partial: true }),
  ],
  ["without text", ({ text: _text, ...message }) => message],
  ["of another call", (message) => ({ ...message, callId: "another" })],
  ["as an ask for approval", ({ say: _say, ...message }) => ({ ...message, type: "ask", ask: "tool" })],
  ["as a resume ask", ({ say: _say, ...message }) => ({ ...message, type: "ask", ask: "resume_task" })],
  ["as an error", ({ ask: _ask, ...message }) => ({ ...message, type: "say", say: "error" })],
  [
    "as an open request",
    ({ ask: _ask, ...message }) => ({ ...message, type: "say", say: "api_req_started", text: "{}" }),
  ],
];

function withOtherEvents(step: Step): Corruption[] {
  const { emitted } = step;
  return emitted.flatMap((event, at) => {
    const label = labelOf(event);
    const next = emitted[at + 1];
    const without = emitted.toSpliced(at, 1);
    const twice = emitted.toSpliced(at, 0, event);
    return [
      { name: `${label} is not emitted`, step: withEmitted(step, without) },
      { name: `${label} is emitted twice`, step: withEmitted(step, twice) },
      { name: `${label} is not applied`, step: withApplied(step, without) },
      { name: `${label} is applied twice`, step: withApplied(step, twice) },
      ...(next === undefined
        ? []
        : [
            {
              name: `${label} is applied late`,
              step: withApplied(step, without.toSpliced(at + 1, 0, event)),
            },
          ]),
    ];
  });
}

function withOtherMessages(step: Step): Corruption[] {
  const { emitted, before } = step;
  return emitted.flatMap((event, at) =>
    event.type !== "message.appended"
      ? []
      : MESSAGES.map(([what, to]) => {
          const message = to(event.message, before.context.log.at(-1));
          return {
            name: `a message is appended ${what}`,
            step: withApplied(step, emitted.with(at, { ...event, message })),
          };
        }),
  );
}

/** Faults of a call. A field that its phase does not have violates no law. */
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["with another name", { name: "another" }],
  ["with another toolUseId", { toolUseId: "another" }],
  ["as asking", { phase: "asking" }],
  ["as running", { phase: "running" }],
  ["as stopped", { phase: "stopped" }],
  ["as settled", { phase: "settled" }],
  ["with another childId", { childId: "another" }],
  ["as replayable", { replayable: true }],
  ["as not replayable", { replayable: false }],
  ["with other feedback", { feedback: { text: "another", images: [] } }],
  ["with other arguments", { input: { another: true } }],
  ["with another outcome", { outcome: { kind: "done", content: [{ type: "text", text: "another" }] } }],
];

function withOtherCalls(step: Step): Corruption[] {
  return step.emitted.flatMap((event, at) =>
    event.type !== "call.changed"
      ? []
      : CALLS.map(([what, other]) => {
          const call = { ...event.call, ...other } as typeof event.call;
          return {
            name: `a call is emitted ${what}`,
            step: withEmitted(step, step.emitted.with(at, { ...event, call })),
          };
        }),
  );
}

const EXTRA: readonly (readonly [string, TaskEmitted])[] = [
  ["tool", { type: "effect.started", effect: "tool", id: "tool:another" }],
  ["request", { type: "effect.started", effect: "context", id: "context:another" }],
  ["stop of a tool", { type: "effect.stopped", effect: "tool", id: "tool:another" }],
  [
    "decision",
    { type: "decision.made", decision: { callId: "another", digest: "d", by: { person: true }, at: 1 } },
  ],
  [
    "conversation entry",
    { type: "entry.appended", entry: { role: "user", content: [{ type: "text", text: "more" }] } },
  ],
  ["error", { type: "message.appended", message: { ts: 999_999, type: "say", say: "error", text: "more" } }],
];

const CAUSES: readonly (readonly [string, object])[] = [
  ["of another request", { requestId: -1 }],
  ["of another call", { callId: "another" }],
  ["of another ask", { askId: -1 }],
  ["of another timer", { timerId: "another" }],
  ["with another reason", { reason: "another" }],
];

function withOtherCause(step: Step): Corruption[] {
  return CAUSES.filter(([, other]) => Object.keys(other).some((key) => key in step.event)).map(
    ([what, other]) => ({
      name: `the cause is ${what}`,
      step: { ...step, event: { ...step.event, ...other } as Step["event"] },
    }),
  );
}

const keysOf = (context: TaskContext): (keyof TaskContext)[] => Object.keys(context) as (keyof TaskContext)[];

function withStaleContext(step: Step): Corruption[] {
  const { before, after, emitted } = step;
  const changed = keysOf(after.context).filter((key) => before.context[key] !== after.context[key]);
  return changed.map((key) => {
    const context = { ...after.context, [key]: before.context[key] };
    return {
      name: `${key} does not change`,
      step: { ...step, after: viewAfter(before, emitted, { state: after.state, context }) },
    };
  });
}

/** Every corruption of this macrostep. What an activation of the sound one gives says nothing of it. */
export function corruptionsOf({ activated: _activated, ...step }: Step): readonly Corruption[] {
  const inOtherStates = STATES.filter((state) => state !== step.after.state).map((state) => ({
    name: `the machine is in ${state}`,
    step: { ...step, after: { ...step.after, state } },
  }));
  const withExtraEvents = EXTRA.map(([what, event]) => ({
    name: `an extra ${what}`,
    step: withApplied(step, [...step.emitted, event]),
  }));
  const withoutActors = { ...step, before: { ...step.before, activeActors: new Set<string>() } };
  return [
    ...withOtherEvents(step),
    ...withOtherMessages(step),
    ...withOtherCalls(step),
    ...withStaleContext(step),
    ...withOtherCause(step),
    ...withExtraEvents,
    ...inOtherStates,
    { name: "no actor was active before", step: withoutActors },
  ];
}
