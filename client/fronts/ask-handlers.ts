import type { AskCategory } from "../../machines/message/index.ts";
import type { Task, TypedAsk } from "../../runtime/index.ts";

export type AskKind = TypedAsk["kind"];

/** What a handler knows beside its ask. */
export interface AskContext {
  /** Aborts when the ask is left: answered by whoever it was, withdrawn, expired, or its task closed. */
  readonly signal: AbortSignal;
  /** Whose ask it is; of one that was offered alone, nobody's. */
  readonly task: Task | undefined;
  /** Whether it was open already when the dispatcher came to its task. */
  readonly wasOpen: boolean;
}

/** Sees to an ask: answers it by its methods, now or later, or leaves it. */
export type AskHandler<A extends TypedAsk = TypedAsk> = (ask: A, context: AskContext) => void | Promise<void>;

/** A handler by the ask's kind goes before one by its category. */
export type AskHandlers = { readonly [C in AskCategory]?: AskHandler } & {
  readonly [K in AskKind]?: AskHandler<TypedAsk & { readonly kind: K }>;
};
