import type { AnswerResult, AskHandle } from "../../actors/ask/open-asks.ts";
import { type Answer, ASK_KINDS, type AskKind, type AskTypeOf } from "../../machines/message/asks.ts";
import type { ElicitationRequest, ElicitedValue } from "../../machines/message/elicitation.ts";
import type { CallFacts, CallPath, Effect, Input, Proposal } from "../../machines/tool-call/call.ts";
import { parseQuestion, type Suggestion } from "../../wire/descriptor.ts";
import { parseElicitation } from "../../wire/elicitation.ts";

/** Text and images that accompany a yes or a no. */
export interface Feedback {
  readonly text?: string;
  /** Data URLs. */
  readonly images?: readonly string[];
}

/** The changes that a person makes to a call, by its proposal: the content of a file, a todo list, or the files that are read. */
export type ProposalAmendment =
  | { readonly content: string }
  | { readonly todos: string }
  /** Whether each file may be read, by its path. One that is left out is not read. */
  | { readonly files: Readonly<Record<string, boolean>> };

/** The parts that can accompany a yes to a tool call. */
export interface Approval extends Feedback {
  /** A rule that allows such calls from now on, such as `edit(src/**)`. */
  readonly rule?: string;
  /** The amendment that runs in place of the proposal. An ask without a proposal refuses it. */
  readonly amendment?: ProposalAmendment;
  /** `program`: code approves in place of a person, and the journal says so. Default: a person does. */
  readonly by?: "program";
}

interface AskBase<K extends AskKind> {
  readonly kind: K;
  /** The `ask` of its message: a name of Roo Code. */
  readonly type: AskTypeOf<K>;
  /** The `ts` of the ask's message; an answer names it (L8). */
  readonly id: number;
  /** The message's text. */
  readonly text: string;
  /** The tool call that the ask is about. */
  readonly callId?: string;
  /** The code of the error that led to the ask: see `TaskEnd.error`. */
  readonly errorCode?: string;
  /**
   * The reason of the ask: for a tool call, the rule and its file, or the permission mode; for a paused task, `paused`.
   * Absent for other asks.
   */
  readonly reason?: string;
  /** The kinds of answers that the ask takes now. A completion that was accepted or declined takes text only. */
  readonly accepts: readonly Answer["kind"][];
  /** The time at which a rule answers it if nobody has, in ms since 1970. */
  readonly expiresAt?: number;
}

/** The call of an ask. */
export interface AskedTool {
  /** The canonical name of the tool. */
  readonly name: string;
  readonly effect: Effect;
  /** A copy of the parsed arguments. */
  readonly input: Input;
}

/** A path of a call. `real` is absent for a task in another process. */
export type AskedPath = Omit<CallPath, "real"> & Partial<Pick<CallPath, "real">>;

/** The facts about an ask, besides its message. */
export interface AskFacts extends Pick<CallFacts, "command" | "diff" | "rules" | "proposal"> {
  readonly tool?: AskedTool;
  readonly reason?: string;
  readonly paths?: readonly AskedPath[];
  /** The result of a completion. */
  readonly result?: string;
  readonly errorCode?: string;
}

/** Asks whether a tool call may run. A rejection skips the other calls of the response. */
export interface ApprovalAsk extends AskBase<"tool" | "command" | "mcp" | "browser"> {
  /** The call. Absent for a task in another process: its messages don't have it. */
  readonly tool?: AskedTool;
  /** Command line of a call that executes one. */
  readonly command?: string;
  /** Paths that the call names; of a command its working directory. */
  readonly paths: readonly AskedPath[];
  /** Hunks of the unified diff of an edit, at most 128 KB, or a note in brackets where the change can't be shown. */
  readonly diff?: string;
  /**
   * Rules that would allow such calls from now on, the narrowest first. For a line of several commands, the rules of those that
   * nothing allows yet. Empty where no rule does it.
   */
  readonly rules: readonly string[];
  /**
   * The part of the call that an approval can amend, at most 1 MB of JSON. Absent for a call that takes no amendment, or whose
   * proposal is larger.
   */
  readonly proposal?: Proposal;
  approve(approval?: Approval): AnswerResult;
  reject(feedback?: Feedback): AnswerResult;
}

/** The request of a running tool call, with a method for each answer. */
export interface Elicitation {
  readonly request: ElicitationRequest;
  /** The fields of a form. Fields that its schema does not take are refused with the reason, and the ask stays open. */
  accept(content?: Readonly<Record<string, ElicitedValue>>): AnswerResult;
  decline(): AnswerResult;
  /** Answer nothing, neither yes nor no. */
  cancel(): AnswerResult;
}

/** Asks a question of the model, or for the input that a running tool call requests. */
export interface QuestionAsk extends AskBase<"question"> {
  readonly question: string;
  readonly suggestions: readonly Suggestion[];
  answer(text: string, images?: readonly string[]): AnswerResult;
  /** Reply with a suggestion, and switch to its mode. */
  choose(suggestion: Suggestion): AnswerResult;
  /** Present: a tool call asks, not the model. `reply` takes the text of an answer: see the question. */
  readonly elicitation?: Elicitation;
}

/** Asks about a running command: continue it in the background, or abort it. */
export interface CommandOutputAsk extends AskBase<"command_output"> {
  approve(): AnswerResult;
  reject(): AnswerResult;
}

/** Offers the result of the task. After it was accepted or declined it still takes a reply. */
export interface CompletionAsk extends AskBase<"completion"> {
  /** The model's result. */
  readonly result: string;
  approve(): AnswerResult;
  reject(): AnswerResult;
  answer(text: string, images?: readonly string[]): AnswerResult;
}

/** Asks whether to retry a failed request. */
export interface FailureAsk extends AskBase<"failure"> {
  approve(feedback?: Feedback): AnswerResult;
  reject(): AnswerResult;
}

/** Asks how to continue after repeated errors of the model. */
export interface MistakesAsk extends AskBase<"mistakes"> {
  approve(): AnswerResult;
  answer(text: string, images?: readonly string[]): AnswerResult;
  reject(): AnswerResult;
}

/** Asks whether to continue at the limit of automatically approved requests or cost. */
export interface LimitAsk extends AskBase<"limit"> {
  approve(): AnswerResult;
  reject(): AnswerResult;
}

/** Offers to resume an interrupted task. */
export interface ResumeAsk extends AskBase<"resume"> {
  approve(feedback?: Feedback): AnswerResult;
}

/** Offers to continue a completed task with a reply. */
export interface ResumeCompletedAsk extends AskBase<"resume_completed"> {
  answer(text: string, images?: readonly string[]): AnswerResult;
}

/** An open ask, with one method for each answer that it takes: an answer names its ask by construction (L8). */
export type Ask =
  | ApprovalAsk
  | QuestionAsk
  | CommandOutputAsk
  | CompletionAsk
  | FailureAsk
  | MistakesAsk
  | LimitAsk
  | ResumeAsk
  | ResumeCompletedAsk;

/** Create the typed ask of a handle. */
export function createAsk(
  handle: AskHandle,
  { result = handle.text, errorCode, reason, ...call }: AskFacts,
): Ask {
  const { askId, ask, text, callId, accepts, expiresAt } = handle;
  const base = {
    id: askId,
    text,
    accepts,
    ...(callId !== undefined && { callId }),
    ...(errorCode !== undefined && { errorCode }),
    ...(reason !== undefined && { reason }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  const yes = (approval: Approval = {}) => handle.answer({ kind: "yes", ...approval });
  const no = (feedback: Feedback = {}) => handle.answer({ kind: "no", ...feedback });
  const reply = (message: string, images: readonly string[] = []) =>
    handle.answer({ kind: "text", text: message, images });
  switch (ask) {
    case "tool":
    case "command":
    case "use_mcp_server":
    case "browser_action_launch":
      return {
        ...base,
        kind: ASK_KINDS[ask],
        type: ask,
        ...(ask === "command" && { command: text }),
        paths: [],
        rules: [],
        ...call,
        approve: yes,
        reject: no,
      };
    case "followup": {
      const { question, suggest } = parseQuestion(text);
      const request = parseElicitation(text);
      return {
        ...base,
        kind: "question",
        type: ask,
        question,
        suggestions: suggest,
        answer: reply,
        choose: ({ answer: message, mode }) =>
          handle.answer({ kind: "text", text: message, ...(mode !== undefined && { mode }) }),
        ...(request !== undefined && { elicitation: createElicitation(request, reply) }),
      };
    }
    case "command_output":
      return { ...base, kind: "command_output", type: ask, approve: () => yes(), reject: () => no() };
    case "completion_result":
      return {
        ...base,
        kind: "completion",
        type: ask,
        result,
        approve: () => yes(),
        reject: () => no(),
        answer: reply,
      };
    case "api_req_failed":
      return { ...base, kind: "failure", type: ask, approve: yes, reject: () => no() };
    case "mistake_limit_reached":
      return {
        ...base,
        kind: "mistakes",
        type: ask,
        approve: () => yes(),
        reject: () => no(),
        answer: reply,
      };
    case "auto_approval_max_req_reached":
      return { ...base, kind: "limit", type: ask, approve: () => yes(), reject: () => no() };
    case "resume_task":
      return { ...base, kind: "resume", type: ask, approve: yes };
    case "resume_completed_task":
      return { ...base, kind: "resume_completed", type: ask, answer: reply };
  }
}

function createElicitation(request: ElicitationRequest, reply: (text: string) => AnswerResult): Elicitation {
  return {
    request,
    accept: (content) => reply(content === undefined ? "accept" : JSON.stringify(content)),
    decline: () => reply("decline"),
    cancel: () => reply("cancel"),
  };
}
