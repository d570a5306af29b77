import { type ActorRefFrom, assign, createActor, type EventObject, enqueueActions, setup } from "xstate";
import { type Clock, type Edge, released } from "../../../actors/protocol/index.ts";
import {
  applyLogEvent,
  type ClineMessage,
  emptyLog,
  type Log,
  type LogEvent,
} from "../../../machines/message/index.ts";
import type { TaskEmitted, TaskEvent, ToolEvent } from "../../../machines/task/index.ts";
import { createGate, type Gate, type GateOptions, type ShownCommit } from "../../../store/gate/index.ts";
import { type JournalDriver, memoryJournal, readJournal } from "../../../store/journal/index.ts";
import type { JournalRecord } from "../../../wire/index.ts";

/** A clock that stands still, and fires nothing by itself. */
export const stillClock: Clock = { now: () => 1000, after: () => () => {} };

interface DeskContext {
  readonly cause: TaskEvent | undefined;
  readonly log: Log;
  /** What this macrostep decided about the log. */
  readonly decided: readonly LogEvent[];
  readonly call: string;
}

const appended = (log: Log, row: Omit<ClineMessage, "ts">): LogEvent => ({
  type: "message.appended",
  message: { ts: (log.at(-1)?.ts ?? 0) + 1, ...row },
});

/** A row behind the one that streams, which is closed first (L3). */
function next(log: Log, row: Omit<ClineMessage, "ts">): LogEvent[] {
  const last = log.at(-1);
  const streams = last?.partial === true;
  return [
    ...(streams ? [{ type: "message.amended", ts: last.ts, patch: { partial: false } } as const] : []),
    appended(log, row),
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
      return streams === undefined
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

/** What became of the desk's effects, in order. */
export interface EffectLog {
  readonly began: string[];
  readonly finish: Map<string, () => void>;
}

/**
 * A small machine with what the gate needs of a task. `task.start` begins an effect (and stops the one
 * before), `tool.finished` ends it, `task.cancel` and `journal.failed` bring it to rest, `timer.fired`
 * breaks it, `task.opened` moves it without deciding anything.
 */
export const deskMachine = (edge: Edge, effects: EffectLog) =>
  setup({
    types: { context: {} as DeskContext, events: {} as TaskEvent, emitted: {} as TaskEmitted },
    actors: {
      effect: released<EventObject, ToolEvent, { readonly id: string }>(
        edge,
        (event) => event.type === "tool.finished",
        ({ input, send }) => {
          effects.began.push(input.id);
          effects.finish.set(input.id, () => send({ type: "tool.finished", callId: input.id, content: [] }));
          return () => {};
        },
      ),
    },
    actions: {
      note: assign(({ context, event }) => {
        const decided = decide(context.log, event);
        return {
          cause: event,
          decided,
          log: decided.reduce(applyLogEvent, context.log),
          call: event.type === "task.start" ? `call-${context.log.length}` : context.call,
        };
      }),
      tell: enqueueActions(({ context, enqueue }) => {
        for (const event of context.decided) enqueue.emit(event);
      }),
      tellStarted: enqueueActions(({ context, enqueue }) => {
        enqueue.emit({ type: "effect.started", effect: "tool", id: context.call });
      }),
      tellStopped: enqueueActions(({ context, enqueue }) => {
        enqueue.emit({ type: "effect.stopped", effect: "tool", id: context.call });
      }),
      fail: () => {
        throw new Error("a broken invariant");
      },
    },
  }).createMachine({
    id: "desk",
    context: { cause: undefined, log: emptyLog, decided: [], call: "" },
    initial: "running",
    on: {
      "task.start": { target: ".running.working", reenter: true, actions: ["note", "tell", "tellStarted"] },
      "queue.added": { actions: ["note", "tell"] },
      "llm.text.delta": { actions: ["note", "tell"] },
      "llm.tool.delta": { actions: ["note", "tell"] },
      "llm.text.end": { actions: ["note", "tell"] },
      "timer.fired": { actions: ["tell", "fail"] },
      "task.opened": { target: ".running.open", actions: "note" },
    },
    states: {
      running: {
        initial: "open",
        on: {
          "task.cancel": { target: "resumable", actions: ["note", "tell"] },
          "journal.failed": { target: "resumable", actions: ["note", "tell"] },
        },
        states: {
          open: {},
          working: {
            exit: "tellStopped",
            invoke: { src: "effect", input: ({ context }) => ({ id: context.call }) },
            on: { "tool.finished": { target: "open", actions: ["note", "tell"] } },
          },
        },
      },
      resumable: { on: { "task.cancel": {}, "journal.failed": {} } },
    },
  });

export type DeskSnapshot = ReturnType<ActorRefFrom<ReturnType<typeof deskMachine>>["getSnapshot"]>;

export interface Desk extends EffectLog {
  readonly gate: Gate<DeskSnapshot>;
  readonly shown: ShownCommit<DeskSnapshot>[];
  readonly errors: unknown[];
  /** What the gate told the desk about its journal. */
  readonly told: string[];
  send(event: TaskEvent): void;
  snapshot(): DeskSnapshot;
}

/** A desk behind a gate, started. */
export function openDesk(driver: JournalDriver = memoryJournal(), options: Partial<GateOptions> = {}): Desk {
  const errors: unknown[] = [];
  const told: string[] = [];
  const shown: ShownCommit<DeskSnapshot>[] = [];
  const effects: EffectLog = { began: [], finish: new Map() };
  const gate = createGate<DeskSnapshot>({
    driver,
    header: { taskId: "t1", createdAt: 500 },
    clock: stillClock,
    onError: (error) => errors.push(error),
    ...options,
  });
  gate.onShown((commit) => shown.push(commit));
  const edge: Edge = { clock: stillClock, random: () => 0, release: gate.release };
  const actor = createActor(deskMachine(edge, effects));
  gate.attach({
    on: (type, listener) => actor.on(type, listener),
    subscribe: (observer) => actor.subscribe(observer),
    send: (event) => {
      told.push(event.message);
      actor.send(event);
    },
  });
  actor.start();
  return {
    ...effects,
    gate,
    shown,
    errors,
    told,
    send: (event) => actor.send(event),
    snapshot: () => actor.getSnapshot(),
  };
}

export const said = (text: string): TaskEvent => ({
  type: "queue.added",
  item: { id: text, text, images: [] },
  at: 1,
});
export const begin = (text = "go"): TaskEvent => ({ type: "task.start", text, images: [], at: 2 });
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
export const cancel: TaskEvent = { type: "task.cancel", at: 6 };
export const breakDown: TaskEvent = { type: "timer.fired", timerId: "x", at: 7 };
export const moveSilently: TaskEvent = { type: "task.opened", at: 8 };

/** All that a journal holds. */
export async function bytesOf(driver: JournalDriver): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of driver.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** All records, which must be whole. */
export async function recordsOf(driver: JournalDriver): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  const onTail = (): never => {
    throw new Error("the end can't be used");
  };
  for await (const record of readJournal(driver, { onTail })) records.push(record);
  return records;
}

/** The rows that the records fold to. */
export const rowsOf = (records: readonly JournalRecord[]): ClineMessage[] =>
  records
    .flatMap((record) => (record.kind === "commit" ? record.log : []))
    .reduce(applyLogEvent, emptyLog)
    .toArray();

/** The rows that a client has which folded what it was shown. */
export const rowsShown = (shown: readonly ShownCommit<DeskSnapshot>[]): ClineMessage[] =>
  shown
    .flatMap(({ commit }) => commit.log)
    .reduce(applyLogEvent, emptyLog)
    .toArray();
