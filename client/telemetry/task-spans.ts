import { type Attributes, type Context, SpanKind, type Tracer } from "@opentelemetry/api";
import { hasNoWork } from "../../machines/message/states.ts";
import { callOfToolActor } from "../../machines/task/calls.ts";
import type { EffectKind } from "../../machines/task/effect-kinds.ts";
import type { EffectEvent } from "../../machines/task/task.events.ts";
import type { TaskCommit, TaskSnapshot } from "../../runtime/task/task-view.ts";
import type { Commit } from "../../store/gate/commit.ts";
import type { ActorSpan, ActorSpanOptions } from "./actor-span.ts";
import { KEY, modelAttributes } from "./conventions.ts";
import { OpenSpan, type SpanStart } from "./open-span.ts";
import { REQUEST_SPAN } from "./request-span.ts";
import { TOOL_SPAN } from "./tool-span.ts";

export interface TaskSpansOptions extends ActorSpanOptions {
  readonly tracer: Tracer;
  readonly agentName: string;
  readonly now: () => number;
  /** The context in which the task works. */
  readonly parent: () => Context;
}

/** The wait for an answer. */
const ASK_SPAN: ActorSpan = {
  start(_effect, { context: { ask } }) {
    return ask && { name: `ask ${ask.ask}`, kind: SpanKind.INTERNAL, attributes: { [KEY.ask]: ask.ask } };
  },
};

/** The actors with a span. */
const ACTOR_SPANS: { readonly [K in EffectKind]?: ActorSpan } = {
  llm: REQUEST_SPAN,
  condense: REQUEST_SPAN,
  tool: TOOL_SPAN,
  ask: ASK_SPAN,
};

/** The states of a task that could not go on. */
const FAILED: ReadonlySet<string> = new Set(["idle.failed", "idle.mistaken", "idle.limited"]);

/**
 * The spans of one task, by its commits: one for its work between two rests, in it one for each turn, and in a turn the spans
 * of its actors.
 */
export class TaskSpans {
  readonly #taskId: string;
  readonly #options: TaskSpansOptions;
  /** The work since the task was last at rest. */
  #work: OpenSpan | undefined;
  #turn: OpenSpan | undefined;
  /** The spans of actors, by the actor's id. */
  readonly #actors = new Map<string, OpenSpan>();

  constructor(taskId: string, options: TaskSpansOptions) {
    this.#taskId = taskId;
    this.#options = options;
  }

  /** The context of the turn. Undefined while the task does not work. */
  get context(): Context | undefined {
    return (this.#turn ?? this.#work)?.context;
  }

  /** The context of a running call. */
  contextOfCall(callId: string): Context | undefined {
    for (const [id, { context }] of this.#actors) if (callOfToolActor(id) === callId) return context;
    return undefined;
  }

  read({ commit, snapshot }: TaskCommit): void {
    const { before, after, effects, cause } = commit;
    // Most commits are deltas.
    if (effects.length === 0 && before === after) return;
    const at = cause?.at ?? this.#options.now();
    if (!hasNoWork(after)) this.#work ??= this.#startWork(snapshot, at);
    for (const effect of effects) {
      if (effect.type === "effect.stopped") this.#endActor(effect, commit, at);
      else if (!hasNoWork(after)) this.#startActor(effect, snapshot, at);
    }
    if (hasNoWork(after)) this.#endWork(after, at);
  }

  /** End the spans of a task that is no longer observed. */
  close(): void {
    this.#endWork("closed", this.#options.now());
  }

  #startWork({ context: { standardModel } }: TaskSnapshot, at: number): OpenSpan {
    const { agentName } = this.#options;
    const attributes = {
      [KEY.operation]: "invoke_agent",
      [KEY.agent]: agentName,
      ...modelAttributes(standardModel),
    };
    return this.#start({ name: `invoke_agent ${agentName}`, kind: SpanKind.INTERNAL, attributes }, at);
  }

  #endWork(state: string, at: number): void {
    for (const span of this.#actors.values()) span.end(at);
    this.#actors.clear();
    this.#endTurn(at);
    this.#work?.add({ [KEY.state]: state });
    if (FAILED.has(state)) this.#work?.fail(state);
    this.#work?.end(at);
    this.#work = undefined;
  }

  #endTurn(at: number): void {
    this.#turn?.end(at);
    this.#turn = undefined;
  }

  #startActor(effect: EffectEvent, snapshot: TaskSnapshot, at: number): void {
    // Each request begins a turn with its context.
    if (effect.effect === "context") {
      this.#endTurn(at);
      this.#turn = this.#start({ name: "turn", kind: SpanKind.INTERNAL, attributes: {} }, at);
    }
    const started = ACTOR_SPANS[effect.effect]?.start(effect, snapshot, this.#options);
    if (started !== undefined) this.#actors.set(effect.id, this.#start(started, at));
  }

  #endActor(effect: EffectEvent, commit: Commit, at: number): void {
    const span = this.#actors.get(effect.id);
    if (span === undefined) return;
    this.#actors.delete(effect.id);
    ACTOR_SPANS[effect.effect]?.end?.(span, commit, at, this.#options, effect);
    span.end(at);
  }

  #start({ name, kind, attributes }: SpanStart, at: number): OpenSpan {
    const { tracer, parent } = this.#options;
    const all: Attributes = { [KEY.conversation]: this.#taskId, ...attributes };
    return new OpenSpan(tracer, { name, kind, attributes: all }, at, this.context ?? parent());
  }
}
