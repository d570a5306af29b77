import {
  applyConversationEvent,
  type ConversationEvent,
  emptyConversation,
} from "../conversation/conversation.ts";
import { frozen } from "../list/frozen.ts";
import { applyLogEvent, emptyLog, type LogEvent } from "../message/log.ts";
import type { Decision, RecordedCall } from "../tool-call/call.ts";
import type { ControlRecord } from "../tool-call/control.ts";
import type { RecordedState, TaskContext } from "./task.context.ts";
import type {
  DurableFacts,
  EffectEvent,
  EffectResult,
  QueuedMessage,
  ReportEvent,
  TaskEmitted,
} from "./task.events.ts";

/**
 * The decisions of one macrostep, in parts. `partsOf` says which emitted event a part comes from, `PARTS` how two commits are
 * merged and what recovery does with a part; the schema of a record (`wire/journal/record.ts`) is checked against it.
 */
export interface CommitParts {
  readonly log: readonly LogEvent[];
  readonly conversation: readonly ConversationEvent[];
  readonly decisions: readonly Decision[];
  /** The decisions of the protocol that controls the task. */
  readonly control?: readonly ControlRecord[];
  /** The whole queue, where it changed. */
  readonly queue?: readonly QueuedMessage[];
  /** The turn of all earlier calls has ended. */
  readonly turnEnded: boolean;
  /** The calls whose phase changed, as they are now. */
  readonly calls: readonly RecordedCall[];
  /** The durable facts that changed, as they are now. */
  readonly facts?: Partial<DurableFacts>;
  readonly effects: readonly EffectEvent[];
  readonly reports: readonly ReportEvent[];
}

type PartName = keyof CommitParts;
type Values = Required<CommitParts>;
/** A part that is absent is empty. */
type SomeParts = { readonly [K in PartName]?: Values[K] };
type MutableParts = { -readonly [K in PartName]?: Values[K] };

interface Part<V> {
  readonly isEmpty: (part: V) => boolean;
  readonly merge: (earlier: V, later: V) => V;
  /** Absent: recovery does not need the part. */
  readonly apply?: (state: RecordedState, part: V) => RecordedState;
}

const list = <T>(apply?: Part<readonly T[]>["apply"]): Part<readonly T[]> => ({
  isEmpty: (part) => part.length === 0,
  merge: (earlier, later) => [...earlier, ...later],
  ...(apply !== undefined && { apply }),
});

/** The fields of a record have this order, and recovery applies them in it. */
const PARTS: { readonly [K in PartName]: Part<Values[K]> } = {
  log: list((state, events) => ({ ...state, log: events.reduce(applyLogEvent, state.log) })),
  conversation: list((state, events) => ({
    ...state,
    conversation: events.reduce(applyConversationEvent, state.conversation),
  })),
  decisions: list(),
  control: list(),
  queue: {
    isEmpty: () => false,
    merge: (_earlier, later) => later,
    apply: (state, queue) => ({ ...state, queue }),
  },
  turnEnded: {
    isEmpty: (ended) => !ended,
    merge: () => true,
    apply: (state) => ({ ...state, calls: [] }),
  },
  calls: list((state, calls) => ({ ...state, calls: calls.reduce(withCall, state.calls) })),
  facts: {
    isEmpty: () => false,
    merge: (earlier, later) => ({ ...earlier, ...later }),
    apply: (state, facts) => ({ ...state, facts: { ...state.facts, ...facts } }),
  },
  effects: list(),
  reports: list(),
};

const isPartName = (name: string): name is PartName => Object.hasOwn(PARTS, name);
const PART_NAMES: readonly PartName[] = Object.keys(PARTS).filter(isPartName);

/** The parts of a commit that decided nothing. */
export const emptyParts: CommitParts = frozen({
  log: [],
  conversation: [],
  decisions: [],
  turnEnded: false,
  calls: [],
  effects: [],
  reports: [],
});

/** The events that a macrostep emits. */
export function emittedBy(actions: readonly { type: string; params?: unknown }[]): readonly TaskEmitted[] {
  const emitted: TaskEmitted[] = [];
  for (const { type, params } of actions)
    if (type === "xstate.emit") emitted.push((params as { event: TaskEmitted }).event);
  return emitted;
}

/** The parts that a macrostep's emitted events make. Undefined where none is the task's: extended machines emit others. */
export function partsOf(events: readonly TaskEmitted[]): SomeParts | undefined {
  let parts: MutableParts | undefined;
  for (const event of events) {
    const part = partOf(event);
    if (part === undefined) continue;
    if (parts === undefined) parts = part;
    else addParts(parts, part);
  }
  return parts;
}

function partOf(event: TaskEmitted): MutableParts | undefined {
  switch (event.type) {
    case "message.appended":
    case "message.grown":
    case "message.amended":
    case "log.truncated":
    case "log.replaced":
      return { log: [event] };
    case "entry.appended":
    case "entry.extended":
    case "entries.replaced":
      return { conversation: [event] };
    case "decision.made":
      return { decisions: [event.decision] };
    case "control.judged":
      return { control: [event.record] };
    case "queue.changed":
      return { queue: event.queue };
    case "turn.ended":
      return { turnEnded: true };
    case "call.changed":
      return { calls: [event.call] };
    case "facts.changed":
      return { facts: event.facts };
    case "effect.started":
    case "effect.stopped":
      return { effects: [event] };
    case "task.rested":
    case "task.completed":
      return { reports: [event] };
    case "event.noted":
      return {};
    default:
      return undefined;
  }
}

/** The parts of one commit that decides what these two decided, in this order. */
export function mergeParts(earlier: SomeParts, later: SomeParts): SomeParts {
  const merged: MutableParts = { ...earlier };
  addParts(merged, later);
  return merged;
}

function addParts(parts: MutableParts, later: SomeParts): void {
  if (later.turnEnded === true) parts.calls = [];
  for (const name in later) if (isPartName(name)) addPart(parts, name, later[name]);
}

/** The parts of a commit that are not empty: what its record has, in the order of the record's fields. */
export function nonEmptyParts(parts: SomeParts): SomeParts {
  const found: MutableParts = {};
  for (const name of PART_NAMES) addPart(found, name, parts[name]);
  return found;
}

function addPart<K extends PartName>(parts: MutableParts, name: K, part: Values[K] | undefined): void {
  if (part === undefined || PARTS[name].isEmpty(part)) return;
  const before: Values[K] | undefined = parts[name];
  parts[name] = before === undefined ? part : PARTS[name].merge(before, part);
}

/** The recorded state of a journal without commits. */
export const emptyRecordedState: RecordedState = {
  log: emptyLog,
  conversation: emptyConversation,
  queue: [],
  facts: {},
  calls: [],
};

/**
 * The recorded state after one more commit. Applying all recorded commits gives the state that a task is opened
 * with (L11).
 */
export function applyParts(state: RecordedState, parts: SomeParts): RecordedState {
  let next = state;
  for (const name of PART_NAMES) next = applyPart(next, name, parts[name]);
  return next;
}

function applyPart<K extends PartName>(
  state: RecordedState,
  name: K,
  part: Values[K] | undefined,
): RecordedState {
  const { isEmpty, apply } = PARTS[name];
  return part === undefined || apply === undefined || isEmpty(part) ? state : apply(state, part);
}

/** The recorded state after one more emitted event. */
export const applyEmitted = (state: RecordedState, event: TaskEmitted): RecordedState =>
  applyParts(state, partOf(event) ?? {});

/** The recorded state after the result of an effect was recorded. The result of a call that has ended is ignored. */
export function applyEffectResult(state: RecordedState, { callId, content }: EffectResult): RecordedState {
  const call = state.calls.find((known) => known.callId === callId);
  if (call === undefined || (call.phase !== "running" && call.phase !== "stopped")) return state;
  return { ...state, calls: withCall(state.calls, { ...call, end: content }) };
}

function withCall(calls: readonly RecordedCall[], call: RecordedCall): readonly RecordedCall[] {
  const index = calls.findIndex(({ callId }) => callId === call.callId);
  return index < 0 ? [...calls, call] : calls.with(index, call);
}

const NAMES = {
  pending: true,
  mentions: true,
  background: true,
  backgroundSubtasks: true,
  counters: true,
  retryAt: true,
  requestedAt: true,
  failedDiffs: true,
  total: true,
  result: true,
  mode: true,
  children: true,
  model: true,
  contextTokens: true,
  compaction: true,
  pause: true,
  wakeUps: true,
  budget: true,
  permissions: true,
  profile: true,
  intent: true,
  control: true,
} as const satisfies Record<keyof DurableFacts, true>;

const isFact = (name: string): name is keyof DurableFacts => Object.hasOwn(NAMES, name);

/** The names of all {@link DurableFacts}. */
export const FACT_NAMES: readonly (keyof DurableFacts)[] = Object.keys(NAMES).filter(isFact);

/** The facts among what an action changed, or undefined if there are none. */
export function factsIn(patch: Partial<TaskContext>): Partial<DurableFacts> | undefined {
  let facts: Record<string, unknown> | undefined;
  for (const name in patch) {
    if (!isFact(name)) continue;
    facts ??= {};
    facts[name] = patch[name];
  }
  return facts;
}
