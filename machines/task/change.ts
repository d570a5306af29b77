import { applyConversationEvent, type ConversationEvent } from "../conversation/index.ts";
import { applyLogEvent, type Draft, type LogEvent, type Patch } from "../message/index.ts";
import type { ActorInputs } from "./ports.ts";
import type { EffectKind, TaskContext, TaskEmitted, TaskEvent } from "./task.types.ts";

type EffectStart = {
  [K in EffectKind]: { readonly kind: K; readonly id: string; readonly input: ActorInputs[K] };
}[EffectKind];

/** What an action starts, stops and tells other actors. */
export type EffectStep =
  | ({ readonly step: "start" } & EffectStart)
  | { readonly step: "stop"; readonly kind: EffectKind; readonly id: string }
  | { readonly step: "abort"; readonly id: string };

/**
 * What one action changes: the context as it will be, and the pieces of the commit that say so.
 * The log and the conversation change through the events that are emitted and through nothing else (L2).
 */
export class Change {
  readonly event: TaskEvent;
  readonly emits: TaskEmitted[] = [];
  readonly effects: EffectStep[] = [];
  /** What becomes different: assigning that alone is cheaper than the whole context. */
  readonly patch: Partial<TaskContext>;
  /** A copy of the machine's, and this change's own. */
  readonly #context: TaskContext;

  constructor(context: TaskContext, event: TaskEvent) {
    this.#context = { ...context, cause: event };
    this.patch = { cause: event };
    this.event = event;
  }

  get context(): TaskContext {
    return this.#context;
  }

  set(patch: Partial<TaskContext>): void {
    Object.assign(this.#context, patch);
    Object.assign(this.patch, patch);
  }

  emit(piece: TaskEmitted): void {
    this.emits.push(piece);
  }

  /** Appends a row. Its `ts` is the event's time, or one more than the last row's (L5). */
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

  say(event: ConversationEvent): void {
    this.set({ conversation: applyConversationEvent(this.#context.conversation, event) });
    this.emit(event);
  }

  start<K extends EffectKind>(kind: K, id: string, input: ActorInputs[K]): void {
    this.effects.push({ step: "start", kind, id, input } as EffectStep);
    this.emit({ type: "effect.started", effect: kind, id });
  }

  stop(kind: EffectKind, id: string): void {
    this.effects.push({ step: "stop", kind, id });
    this.emit({ type: "effect.stopped", effect: kind, id });
  }

  /** Tells a running call to end its work. */
  abort(id: string): void {
    this.effects.push({ step: "abort", id });
  }

  #log(event: LogEvent): void {
    this.set({ log: applyLogEvent(this.#context.log, event) });
    this.emit(event);
  }
}
