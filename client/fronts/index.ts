export { type Act, type PersonsAsk, readAnswer } from "./ask-answers.ts";
export {
  type AnsweredBy,
  AskDispatcher,
  type AskDispatcherOptions,
  type LeftOpen,
} from "./ask-dispatcher.ts";
export type { AskContext, AskHandler, AskHandlers, AskKind } from "./ask-handlers.ts";
export {
  APPROVE_ALL,
  type AutoAnswer,
  type AutoAnswers,
  FOLLOWUP_WAIT_MS,
  NON_INTERACTIVE,
  REJECT_ALL,
} from "./auto-answers.ts";
export { OutputManager, type OutputManagerOptions } from "./output-manager.ts";
export { printable, printableOutput } from "./printable.ts";
export {
  PromptManager,
  type PromptManagerOptions,
  type PromptOutput,
  type PromptReply,
  type QuestionOptions,
} from "./prompt-manager.ts";
export type { Reading } from "./readings.ts";
export { sayRetry } from "./retry.ts";
export { type Piece, RowText } from "./row-text.ts";
export { type RowForm, type TextForm, textForm } from "./text-form.ts";
