import { type ActorRefFrom, assign, createActor, type EventObject, enqueueActions, setup } from "xstate";
import type { Edge } from "../../../actors/protocol/edge.ts";
import { released } from "../../../actors/protocol/released.ts";
import { applyLogEvent, emptyLog, type Log, type LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { TaskEmitted, TaskEvent, ToolEvent } from "../../../machines/task/task.events.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { JournalDriver } from "../../../ports/journal.ts";
import type { PublishedCommit } from "../../../store/gate/commit.ts";
import { createGate, type Gate, type GateOptions } from "../../../store/gate/gate.ts";
import { memoryJournal } from "../../../store/journal/memory.ts";
import { readJournal } from "../../../store/journal/reader.ts";
import type { JournalRecord } from "../../../wire/journal/record.ts";

/** A clock that never advances. */
export const stillClock: Clock = { now: () => 1000, after: () => () => {} };

interface TestContext {
  readonly cause: TaskEvent | undefined;
  readonly log: Log;
  /** Log events of the current macrostep. */
  readonly decided: readonly LogEvent[];
  readonly call: string;
}

const appended = (log: Log, message: Omit<ClineMessage, "ts">): LogEvent => ({
  type: "message.appended",
  message: { ts: (log.at(-1)?.ts ?? 0) + 1, ...message },
});

/** Append a message, after the streaming one is closed (L3). */
function next(log: Log, message: Omit<ClineMessage, "ts">): LogEvent[] {
  const last = log.at(-1);
  const streams = last?.partial === true;
  return [
    ...(streams ? [{ type: "message.amended", ts: last.ts, patch: { partial: false } } as const] : []),
    appended(log, message),
  ];
}

function decide(log: Log, event: TaskEvent): readonly LogEvent[] {
  const last = log.at(-1);
  const streams = last?.partial === true ? last : undefined;
  switch (event.type) {
    case "task.start":
      return next(log, { type: "say", say: "text", text: event.text });
    case "queue.added":
      return next(log, { type: "say", say: "user_feedback", text: event.item.text });
    case "tool.finished":
      return next(log, { type: "say", say: "command_output", text: event.callId });
    case "llm.text.delta":
      return streams === undefined
        ? [appended(log, { type: "say", say: "text", text: event.text, partial: true })]
        : [{ type: "message.grown", ts: streams.ts, text: event.text }];
    case "llm.tool.delta":
      return streams === undefined || !("preview" in event)
        ? []
        : [
            {
              type: "message.amended",
              ts: streams.ts,
              patch: { text: event.preview, progressStatus: { text: event.preview } },
            },
          ];
    case "llm.text.end":
      return streams === undefined
        ? []
        : [{ type: "message.amended", ts: streams.ts, patch: { partial: false } }];
    case "task.cancel":
    case "journal.failed":
      return next(log, { type: "ask", ask: "resume_task", text: "" });
    default:
      return [];
  }
}

/** Effects of the task, in order. */
export interface EffectLog {
  readonly started: string[];
  readonly finish: Map<string, () => void>;
}

/**
 * A minimal machine for the gate. `task.start` starts an effect and stops the previous one, `tool.finished` ends it,
 * `task.cancel` and `journal.failed` settle the task, `timer.fired` breaks an invariant, `task.opened` changes the state
 * only.
 */
export const testMachine = (edge: Edge, effects: EffectLog) =>
  setup({
    types: { context: {} as TestContext, events: {} as TaskEvent, emitted: {} as TaskEmitted },
    actors: {
      effect: released<EventObject, ToolEvent, { readonly id: string }>(
        edge,
        (event) => event.type === "tool.finished",
        ({ input, send }) => {
          effects.started.push(input.id);
          effects.finish.set(input.id, () => send({ type: "tool.finished", callId: input.id, content: [] }));
          return () => {};
        },
      ),
    },
    actions: {
      decide: assign(({ context, event }) => {
        const decided = decide(context.log, event);
        return {
          cause: event,
          decided,
          log: decided.reduce(applyLogEvent, context.log),
          call: event.type === "task.start" ? `call-${context.log.length}` : context.call,
        };
      }),
      emitLog: enqueueActions(({ context, enqueue }) => {
        for (const event of context.decided) enqueue.emit(event);
      }),
      emitStarted: enqueueActions(({ context, enqueue }) => {
        enqueue.emit({ type: "effect.started", effect: "tool", id: context.call });
      }),
      emitStopped: enqueueActions(({ context, enqueue }) => {
        enqueue.emit({ type: "effect.stopped", effect: "tool", id: context.call });
      }),
      fail: () => {
        throw new Error("a broken invariant");
      },
    },
  }).createMachine({
    id: "task",
    context: { cause: undefined, log: emptyLog, decided: [], call: "" },
    initial: "running",
    on: {
      "task.start": {
        target: ".running.working",
        reenter: true,
        actions: ["decide", "emitLog", "emitStarted"],
      },
      "queue.added": { actions: ["decide", "emitLog"] },
      "llm.text.delta": { actions: ["decide", "emitLog"] },
      "llm.tool.delta": { actions: ["decide", "emitLog"] },
      "llm.text.end": { actions: ["decide", "emitLog"] },
      "timer.fired": { actions: ["emitLog", "fail"] },
      "task.opened": { target: ".running.open", actions: "decide" },
    },
    states: {
      running: {
        initial: "open",
        on: {
          "task.cancel": { target: "resumable", actions: ["decide", "emitLog"] },
          "journal.failed": { target: "resumable", actions: ["decide", "emitLog"] },
        },
        states: {
          open: {},
          working: {
            exit: "emitStopped",
            invoke: { src: "effect", input: ({ context }) => ({ id: context.call }) },
            on: { "tool.finished": { target: "open", actions: ["decide", "emitLog"] } },
          },
        },
      },
      resumable: { on: { "task.cancel": {}, "journal.failed": {} } },
    },
  });

export type TestSnapshot = ReturnType<ActorRefFrom<ReturnType<typeof testMachine>>["getSnapshot"]>;

export interface TestTask extends EffectLog {
  readonly gate: Gate<TestSnapshot>;
  readonly published: PublishedCommit<TestSnapshot>[];
  readonly errors: unknown[];
  /** Messages of the `journal.failed` events. */
  readonly failures: string[];
  send(event: TaskEvent): void;
  snapshot(): TestSnapshot;
}

/** Create and start a task behind a gate. */
export function createTestTask(
  driver: JournalDriver = memoryJournal(),
  options: Partial<GateOptions> = {},
): TestTask {
  const errors: unknown[] = [];
  const failures: string[] = [];
  const published: PublishedCommit<TestSnapshot>[] = [];
  const effects: EffectLog = { started: [], finish: new Map() };
  const gate = createGate<TestSnapshot>({
    driver,
    header: { taskId: "t1", createdAt: 500 },
    clock: stillClock,
    onError: (error) => errors.push(error),
    ...options,
  });
  gate.onCommit((commit) => published.push(commit));
  const edge: Edge = { clock: stillClock, random: () => 0, release: gate.release };
  const actor = createActor(testMachine(edge, effects));
  gate.attach({
    on: (type, listener) => actor.on(type, listener),
    subscribe: (observer) => actor.subscribe(observer),
    send: (event) => {
      failures.push(event.message);
      actor.send(event);
    },
  });
  actor.start();
  return {
    ...effects,
    gate,
    published,
    errors,
    failures,
    send: (event) => actor.send(event),
    snapshot: () => actor.getSnapshot(),
  };
}

export const queued = (text: string): TaskEvent => ({
  type: "queue.added",
  item: { id: text, text, images: [] },
  at: 1,
});
export const start = (text = "go"): TaskEvent => ({ type: "task.start", text, images: [], at: 2 });
export const delta = (text: string): TaskEvent => ({
  type: "llm.text.delta",
  requestId: 1,
  index: 0,
  text,
  at: 3,
});
export const preview = (text: string): TaskEvent => ({
  type: "llm.tool.delta",
  requestId: 1,
  callId: "c",
  preview: text,
  at: 4,
});
export const textEnd: TaskEvent = { type: "llm.text.end", requestId: 1, index: 0, at: 5 };
export const cancel: TaskEvent = { type: "task.cancel", origin: "user", at: 6 };
export const failInvariant: TaskEvent = { type: "timer.fired", timerId: "x", at: 7 };
export const moveSilently: TaskEvent = { type: "task.opened", at: 8 };

/** Read all bytes of a journal. */
export async function bytesOf(driver: JournalDriver): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of driver.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Read all records of a journal; throws if it has a tail. */
export async function recordsOf(driver: JournalDriver): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  const onTail = (): never => {
    throw new Error("Expected a whole journal, found a tail.");
  };
  for await (const record of readJournal(driver, { onTail })) records.push(record);
  return records;
}

/** Fold records to messages. */
export const messagesOf = (records: readonly JournalRecord[]): ClineMessage[] =>
  records
    .flatMap((record) => (record.kind === "commit" ? record.log : []))
    .reduce(applyLogEvent, emptyLog)
    .toArray();

/** Fold published commits to messages. */
export const publishedMessages = (published: readonly PublishedCommit<TestSnapshot>[]): ClineMessage[] =>
  published
    .flatMap(({ commit }) => commit.log)
    .reduce(applyLogEvent, emptyLog)
    .toArray();
