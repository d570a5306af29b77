import type { AnswerResult } from "../../../actors/ask/open-asks.ts";
import type { AskCategory } from "../../../machines/message/asks.ts";
import type { Ask } from "../../../runtime/task/ask.ts";
import type { Task } from "../../../runtime/task/task.ts";

export type AskKind = Ask["kind"];

/** The context of an ask that is passed to a handler. */
export interface AskContext {
  /** Aborts when the ask is closed: answered by anyone, withdrawn, expired, or its task closed. */
  readonly signal: AbortSignal;
  /** The task of the ask; undefined for one that was offered alone. */
  readonly task: Task | undefined;
  /** Whether the ask was open already when the dispatcher was attached. */
  readonly wasOpen: boolean;
}

/** Handles an ask: answers it by its methods, now or later, or leaves it open. */
export type AskHandler<A extends Ask = Ask> = (ask: A, context: AskContext) => void | Promise<void>;

/** Handlers by kind or category. A handler for the kind has priority. */
export type AskHandlers = { readonly [C in AskCategory]?: AskHandler } & {
  readonly [K in AskKind]?: AskHandler<Ask & { readonly kind: K }>;
};

/** An automatic answer to an ask that no person has answered in time. */
export interface AutoAnswer<A extends Ask = Ask> {
  /** Delay in milliseconds. 0: no person is asked. */
  readonly afterMs: number;
  /** Answers the ask; undefined for one that only a person can answer. */
  give(ask: A, context: AskContext): AnswerResult | undefined;
}

/** Automatic answers by kind of ask. */
export type AutoAnswers = { readonly [K in AskKind]?: AutoAnswer<Ask & { readonly kind: K }> };

/** Delay before a question is answered automatically, in milliseconds. */
export const FOLLOWUP_WAIT_MS = 60_000;

const proceed: AutoAnswer<Ask & { approve(): AnswerResult }> = { afterMs: 0, give: (ask) => ask.approve() };

/**
 * Automatic answers for runs that nobody may watch: a question gets its first suggestion after 60 s, the limits of
 * mistakes and requests are lifted, and an interrupted task is resumed. A task that was cancelled while the dispatcher
 * was attached stays at rest; approvals, retries and free text are left to a person.
 */
export const NON_INTERACTIVE: AutoAnswers = {
  question: {
    afterMs: FOLLOWUP_WAIT_MS,
    give: (ask) => {
      const [first] = ask.suggestions;
      return first === undefined ? undefined : ask.choose(first);
    },
  },
  mistakes: proceed,
  limit: proceed,
  resume: { afterMs: 0, give: (ask, { wasOpen }) => (wasOpen ? ask.approve() : undefined) },
};

/** The same automatic answer to every call of any tool. */
const toEachCall = (
  give: (ask: { approve(): AnswerResult; reject(): AnswerResult }) => AnswerResult,
): AutoAnswers => {
  const auto = { afterMs: 0, give };
  return { tool: auto, command: auto, mcp: auto, browser: auto };
};

/** Approves every call of any tool: passing this is the recorded decision that L7 requires. */
export const APPROVE_ALL: AutoAnswers = toEachCall((ask) => ask.approve());
/** Rejects every call, for runs without a person to ask. */
export const REJECT_ALL: AutoAnswers = toEachCall((ask) => ask.reject());
