import type { AnyActorRef } from "xstate";
import { applyConversationEvent, type ConversationEvent, entryEvent } from "../conversation/conversation.ts";
import type { Entry } from "../conversation/entry.ts";
import { frozen } from "../list/frozen.ts";
import { applyLogEvent, type LogEvent } from "../message/log.ts";
import type { Draft, Patch } from "../message/message.ts";
import { factsIn } from "./commit.ts";
import type { EffectKind } from "./effect-kinds.ts";
import type { TaskContext } from "./task.context.ts";
import type { ReportEvent, TaskEmitted, TaskEvent } from "./task.events.ts";
import { type ActorInputs, type ToolCommand, taskSetup } from "./task.setup.ts";

/** The arguments of `spawnChild`: each kind with its input. */
type Spawn = {
  [K in EffectKind]: [kind: K, options: { readonly id: string; readonly input: ActorInputs[K] }];
}[EffectKind];

/** Start or stop of an actor, or a command to it. */
type EffectStep =
  | { readonly step: "start"; readonly spawn: Spawn }
  | { readonly step: "stop"; readonly kind: EffectKind; readonly id: string }
  | { readonly step: "send"; readonly id: string; readonly command: ToolCommand };

/**
 * The changes of one action: the next context and the matching parts of the commit. The log and the conversation
 * change only through emitted events (L2).
 */
export class Change {
  readonly event: TaskEvent;
  readonly emits: TaskEmitted[] = [];
  readonly effects: EffectStep[] = [];
  /** The changed fields. Assigning only these is cheaper than the whole context. */
  readonly patch: Partial<TaskContext>;
  /** A private copy of the machine's context. */
  readonly #context: TaskContext;

  constructor(context: TaskContext, event: TaskEvent) {
    // The event of a start has the input of the machine.
    if ("at" in event) frozen(event);
    this.#context = { ...context, cause: event };
    this.patch = { cause: event };
    this.event = event;
  }

  get context(): TaskContext {
    return this.#context;
  }

  /** Sets fields of the context. Their values are frozen: snapshots hand them out. */
  set(patch: Partial<TaskContext>): void {
    frozen(patch);
    Object.assign(this.#context, patch);
    Object.assign(this.patch, patch);
  }

  emit(emitted: TaskEmitted): void {
    this.emits.push(frozen(emitted));
  }

  /** Appends a message. Its `ts` is the event's time, or one more than the last message's (L5). */
  append(draft: Draft): number {
    const last = this.#context.log.at(-1)?.ts ?? 0;
    const ts = Math.max(this.event.at, last + 1);
    this.#log({ type: "message.appended", message: { ts, ...draft } });
    return ts;
  }

  grow(ts: number, text: string): void {
    if (text !== "") this.#log({ type: "message.grown", ts, text });
  }

  amend(ts: number, patch: Patch): void {
    this.#log({ type: "message.amended", ts, patch });
  }

  /** Adds an entry to the conversation. */
  converse(entry: Entry): void {
    this.changeConversation(entryEvent(this.#context.conversation, entry));
  }

  changeConversation(event: ConversationEvent): void {
    this.set({ conversation: applyConversationEvent(this.#context.conversation, event) });
    this.emit(event);
  }

  start<K extends EffectKind>(kind: K, id: string, input: ActorInputs[K]): void {
    this.effects.push({ step: "start", spawn: [kind, { id, input }] as Spawn });
    this.emit({ type: "effect.started", effect: kind, id, ...profileIn(input), ...this.#modeIn(input) });
  }

  stop(kind: EffectKind, id: string): void {
    this.effects.push({ step: "stop", kind, id });
    this.emit({ type: "effect.stopped", effect: kind, id });
  }

  /** Sends a command to the actor of a running call. */
  send(id: string, command: ToolCommand): void {
    this.effects.push({ step: "send", id, command });
  }

  /** The mode of an actor, where the task's has changed since. */
  #modeIn(input: ActorInputs[EffectKind]): { readonly mode?: string } {
    return "mode" in input && input.mode !== this.#context.mode ? { mode: input.mode } : {};
  }

  #log(event: LogEvent): void {
    this.set({ log: applyLogEvent(this.#context.log, event) });
    this.emit(event);
  }
}

/** The profile of a request, as its actor gets it. */
const profileIn = (input: ActorInputs[EffectKind]): { readonly profile?: string } =>
  "profile" in input && input.profile !== undefined ? { profile: input.profile } : {};

const NOTED: TaskEmitted = { type: "event.noted" };
const isPartOfCommit = ({ type }: TaskEmitted): boolean => type !== "call.moved";

/**
 * Creates a machine action from a function that writes a {@link Change}. Only this function assigns the context,
 * emits parts of the commit, and starts and stops actors.
 */
export const act = (write: (change: Change) => void) =>
  taskSetup.enqueueActions(({ context, event, enqueue }) => {
    const change = new Change(context, causeOf(event, context));
    write(change);
    const facts = factsIn(change.patch);
    if (facts !== undefined) change.emit({ type: "facts.changed", facts });
    if (!change.emits.some(isPartOfCommit)) change.emit(NOTED);
    enqueue.assign(() => change.patch);
    for (const effect of change.effects) enqueueEffect(enqueue, effect);
    for (const emitted of change.emits) {
      enqueue.emit(emitted);
      if (context.reportTo !== undefined && isReport(emitted)) enqueue.sendTo(context.reportTo, emitted);
    }
  });

const isReport = (emitted: TaskEmitted): emitted is ReportEvent =>
  emitted.type === "task.rested" || emitted.type === "task.completed";

/** XState's init event has no time. In a reopened task the time of opening replaces it (L15). */
function causeOf(event: TaskEvent, { reopening, cause }: TaskContext): TaskEvent {
  if ("at" in event) return event;
  return reopening === undefined ? (cause ?? event) : { type: "task.recovered", at: reopening.at };
}

type Enqueue = Parameters<Parameters<typeof taskSetup.enqueueActions>[0]>[0]["enqueue"];

function enqueueEffect(enqueue: Enqueue, effect: EffectStep): void {
  if (effect.step === "send") enqueue.sendTo<AnyActorRef>(effect.id, effect.command);
  else if (effect.step === "stop") enqueue.stopChild(effect.id);
  else enqueue.spawnChild(...effect.spawn);
}
