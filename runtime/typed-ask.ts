import { z } from "zod";
import type { AnswerResult, AskHandle } from "../actors/index.ts";
import type { Answer, AskType } from "../machines/message/index.ts";

/** Words that go along with an answer. */
export interface Words {
  readonly text?: string;
  /** Data URLs. */
  readonly images?: readonly string[];
}

interface AskBase<K extends AskType> {
  readonly kind: K;
  /** The `ts` of the ask's row: what an answer names (L8). */
  readonly id: number;
  /** The row's text. */
  readonly text: string;
  /** The tool call that is asked about. */
  readonly callId?: string;
  /** The kinds of answers that it takes now: a completion that was accepted or declined takes text alone. */
  readonly accepts: readonly Answer["kind"][];
}

/** May a call run? A rejection skips what the model wanted beside it. */
export interface ApprovalAsk
  extends AskBase<"tool" | "command" | "use_mcp_server" | "browser_action_launch"> {
  approve(words?: Words): AnswerResult;
  reject(words?: Words): AnswerResult;
}

export interface FollowupAsk extends AskBase<"followup"> {
  readonly question: string;
  readonly suggestions: readonly string[];
  reply(text: string, images?: readonly string[]): AnswerResult;
}

/** A command runs: let it go on beside the agent, or end it. */
export interface CommandOutputAsk extends AskBase<"command_output"> {
  proceed(): AnswerResult;
  abort(): AnswerResult;
}

/** The task is done, says the model. Once accepted or declined it can still be replied to. */
export interface CompletionAsk extends AskBase<"completion_result"> {
  accept(): AnswerResult;
  decline(): AnswerResult;
  reply(text: string, images?: readonly string[]): AnswerResult;
}

export interface FailureAsk extends AskBase<"api_req_failed"> {
  retry(words?: Words): AnswerResult;
  decline(): AnswerResult;
}

export interface MistakesAsk extends AskBase<"mistake_limit_reached"> {
  proceed(): AnswerResult;
  reply(text: string, images?: readonly string[]): AnswerResult;
  decline(): AnswerResult;
}

export interface LimitAsk extends AskBase<"auto_approval_max_req_reached"> {
  proceed(): AnswerResult;
  decline(): AnswerResult;
}

export interface ResumeAsk extends AskBase<"resume_task"> {
  resume(words?: Words): AnswerResult;
}

export interface ResumeCompletedAsk extends AskBase<"resume_completed_task"> {
  reply(text: string, images?: readonly string[]): AnswerResult;
}

/** An open ask, with the answers that it takes as its methods: so that an answer names its ask by construction. */
export type TypedAsk =
  | ApprovalAsk
  | FollowupAsk
  | CommandOutputAsk
  | CompletionAsk
  | FailureAsk
  | MistakesAsk
  | LimitAsk
  | ResumeAsk
  | ResumeCompletedAsk;

/** The handle of an ask as the union that a client switches on. */
export function typedAsk(handle: AskHandle): TypedAsk {
  const { askId, ask, text, callId, accepts } = handle;
  const base = { id: askId, text, accepts, ...(callId !== undefined && { callId }) };
  const yes = (words: Words = {}) => handle.answer({ kind: "yes", ...words });
  const no = (words: Words = {}) => handle.answer({ kind: "no", ...words });
  const reply = (said: string, images: readonly string[] = []) =>
    handle.answer({ kind: "text", text: said, images });
  switch (ask) {
    case "tool":
    case "command":
    case "use_mcp_server":
    case "browser_action_launch":
      return { ...base, kind: ask, approve: yes, reject: no };
    case "followup":
      return { ...base, kind: ask, ...followupIn(text), reply };
    case "command_output":
      return { ...base, kind: ask, proceed: () => yes(), abort: () => no() };
    case "completion_result":
      return { ...base, kind: ask, accept: () => yes(), decline: () => no(), reply };
    case "api_req_failed":
      return { ...base, kind: ask, retry: yes, decline: () => no() };
    case "mistake_limit_reached":
      return { ...base, kind: ask, proceed: () => yes(), decline: () => no(), reply };
    case "auto_approval_max_req_reached":
      return { ...base, kind: ask, proceed: () => yes(), decline: () => no() };
    case "resume_task":
      return { ...base, kind: ask, resume: yes };
    case "resume_completed_task":
      return { ...base, kind: ask, reply };
  }
}

/** A question's row is JSON `{question, suggest: [{answer}]}`; one of another form is the question itself. */
export function followupIn(text: string): Pick<FollowupAsk, "question" | "suggestions"> {
  const parsed = Followup.safeParse(jsonOf(text));
  if (!parsed.success) return { question: text, suggestions: [] };
  return { question: parsed.data.question, suggestions: parsed.data.suggest.map(({ answer }) => answer) };
}

const Followup = z.object({
  question: z.string(),
  suggest: z.array(z.object({ answer: z.string() })).default([]),
});

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
