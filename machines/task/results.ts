import { approvedWithFeedback, emptyResult, textBlock } from "../conversation/index.ts";
import type { Feedback, Outcome } from "../tool-call/index.ts";
import { imagesOf } from "./words.ts";

/** The result of a call that ran, with the words that came with its approval before it. */
export function withFeedback(
  feedback: Feedback | undefined,
  content: Outcome["content"],
): Outcome["content"] {
  const result = content.length === 0 ? [textBlock(emptyResult())] : content;
  if (feedback === undefined) return result;
  return [...imagesOf(feedback.images), textBlock(approvedWithFeedback(feedback.text)), ...result];
}
