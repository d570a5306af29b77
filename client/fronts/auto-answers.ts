import type { AnswerResult } from "../../actors/index.ts";
import type { TypedAsk } from "../../runtime/index.ts";
import type { AskContext, AskKind } from "./ask-handlers.ts";

/** What is answered where no person has by then. */
export interface AutoAnswer<A extends TypedAsk = TypedAsk> {
  /** From when the ask was offered. 0: nobody else is asked. */
  readonly afterMs: number;
  /** Answers it; undefined for one that can't be answered so: a person must. */
  give(ask: A, context: AskContext): AnswerResult | undefined;
}

export type AutoAnswers = { readonly [K in AskKind]?: AutoAnswer<TypedAsk & { readonly kind: K }> };

/** How long a question waits for a person where nobody may be there, in milliseconds. */
export const FOLLOWUP_WAIT_MS = 60_000;

const proceed: AutoAnswer<TypedAsk & { proceed(): AnswerResult }> = {
  afterMs: 0,
  give: (ask) => ask.proceed(),
};

/**
 * The answers where nobody may be there: a question gets its first suggestion after 60 s; the limit of mistakes and that
 * of requests are lifted; a task that was interrupted goes on. One that was cancelled while it was looked after stays
 * so, and what must be approved, tried again or said by a person is left to one.
 */
export const NON_INTERACTIVE: AutoAnswers = {
  followup: {
    afterMs: FOLLOWUP_WAIT_MS,
    give: (ask) => {
      const [first] = ask.suggestions;
      return first === undefined ? undefined : ask.reply(first);
    },
  },
  mistake_limit_reached: proceed,
  auto_approval_max_req_reached: proceed,
  resume_task: { afterMs: 0, give: (ask, { wasOpen }) => (wasOpen ? ask.resume() : undefined) },
};

const approve = { afterMs: 0, give: (ask: { approve(): AnswerResult }) => ask.approve() };
/** Approves every call, of any tool: L7 holds, since whoever gives this has decided so. */
export const APPROVE_ALL: AutoAnswers = {
  tool: approve,
  command: approve,
  use_mcp_server: approve,
  browser_action_launch: approve,
};

const reject = { afterMs: 0, give: (ask: { reject(): AnswerResult }) => ask.reject() };
/** Rejects every call that nobody can be asked about. */
export const REJECT_ALL: AutoAnswers = {
  tool: reject,
  command: reject,
  use_mcp_server: reject,
  browser_action_launch: reject,
};
