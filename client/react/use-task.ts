import { useMemo, useSyncExternalStore } from "react";
import { ASK_KINDS, type AskKind, isAskType } from "../../machines/message/asks.ts";
import { type EndError, endErrorOf } from "../../machines/message/end-error.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { formatSubject, openAskView } from "../../present/asks.ts";
import type { Approval, AskFacts, Feedback } from "../../runtime/task/ask.ts";
import { parseQuestion, type Suggestion } from "../../wire/descriptor.ts";
import { shownCall } from "../shown-call.ts";
import type { ActionResult, TaskSource, TaskView } from "./task-source.ts";

/** The ask that waits for an answer. Its methods answer this ask, also when another one is shown in the meantime (L8). */
export interface ShownAsk extends Pick<AskFacts, "diff" | "paths"> {
  /** Its kind, which decides what a yes means. */
  readonly kind: AskKind;
  /** Identifies the ask. */
  readonly id: number;
  readonly message: ClineMessage;
  /** The question, the command, the call or the result that the ask is about, as words. */
  readonly question: string;
  /** The labels of a yes and of a no, such as `Run` and `Reject`. Absent where the ask takes none. */
  readonly yes?: string;
  readonly no?: string;
  /** Answers that the model suggests. */
  readonly suggestions: readonly Suggestion[];
  /** Rules that would allow such calls from now on, the narrowest first. Empty where the source does not know them. */
  readonly rules: readonly string[];
  approve(approval?: Approval): Promise<ActionResult>;
  reject(feedback?: Feedback): Promise<ActionResult>;
  answer(text: string, images?: readonly string[]): Promise<ActionResult>;
  /** Answer with a suggestion, and switch to its mode. */
  choose(suggestion: Suggestion): Promise<ActionResult>;
}

/** A task as a component shows it. */
export interface UsedTask extends TaskView, Pick<TaskSource, "send" | "cancel"> {
  readonly ask: ShownAsk | undefined;
  /** The error that ended the last run, until the task continues. */
  readonly error: EndError | undefined;
}

/**
 * Show a task: the component renders again after each change. Create the source once, outside of the component or with
 * `useMemo`. See docs/guide/react.md.
 */
export function useTask(source: TaskSource): UsedTask {
  const view = useSyncExternalStore(source.subscribe, source.read, source.read);
  return useMemo(
    () => ({
      ...view,
      ask: askOf(view, source),
      error: view.state.isRunning ? undefined : endErrorOf(view.messages),
      send: source.send,
      cancel: source.cancel,
    }),
    [view, source],
  );
}

function askOf({ state }: TaskView, { answer, factsOf }: TaskSource): ShownAsk | undefined {
  const message = state.lastMessage;
  if (message === undefined || !state.isWaitingForInput || !isAskType(message.ask)) return undefined;
  const { ts: id, ask } = message;
  const text = message.text ?? "";
  const { yes, no } = openAskView({ ...message, type: ask, text });
  return {
    kind: ASK_KINDS[ask],
    id,
    message,
    question: formatSubject(message),
    suggestions: ask === "followup" ? parseQuestion(text).suggest : [],
    ...(yes !== undefined && { yes }),
    ...(no !== undefined && { no }),
    rules: [],
    ...shownCall(ask, text),
    ...factsOf?.(id),
    approve: (approval) => answer(id, { kind: "yes", ...approval }),
    reject: (feedback) => answer(id, { kind: "no", ...feedback }),
    answer: (words, images = []) => answer(id, { kind: "text", text: words, images }),
    choose: ({ answer: words, mode }) =>
      answer(id, { kind: "text", text: words, ...(mode !== undefined && { mode }) }),
  };
}
