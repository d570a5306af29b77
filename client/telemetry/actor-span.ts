import type { EffectEvent } from "../../machines/task/task.events.ts";
import type { TaskSnapshot } from "../../runtime/task/task-view.ts";
import type { Commit } from "../../store/gate/commit.ts";
import type { OpenSpan, SpanStart } from "./open-span.ts";
import type { RequestMetrics } from "./request-metrics.ts";

export interface ActorSpanOptions {
  readonly requests: RequestMetrics;
  /** Maximum characters of an attribute with content; 0: no content. */
  readonly contentChars: number;
}

/** The span of an actor that a task starts and stops. */
export interface ActorSpan {
  /** Undefined where there is nothing to show. */
  start(effect: EffectEvent, snapshot: TaskSnapshot, options: ActorSpanOptions): SpanStart | undefined;
  /** Add what is known at the end. */
  end?(span: OpenSpan, commit: Commit, at: number, options: ActorSpanOptions, effect: EffectEvent): void;
}
