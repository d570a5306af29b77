import {
  type ImageBlock,
  imageBlock,
  type TextBlock,
  textBlock,
  userMessage,
} from "../conversation/index.ts";
import type { Answer } from "../message/index.ts";
import type { Feedback } from "../tool-call/index.ts";
import type { Change } from "./change.ts";

/** What a person said, as the model gets it: the images after the words. */
export function blocksOf(text: string, images: readonly string[]): (TextBlock | ImageBlock)[] {
  const pictures = images.map(imageBlock).filter((block) => block !== undefined);
  return text.trim() === "" ? pictures : [textBlock(userMessage(text)), ...pictures];
}

export const imagesOf = (images: readonly string[]): ImageBlock[] =>
  images.map(imageBlock).filter((block) => block !== undefined);

/** An answer that has to be words, and has none. */
export const NO_WORDS: Feedback = { text: "", images: [] };

/** The words that came with an answer; undefined if there were none. */
export function feedbackOf(answer: Answer): Feedback | undefined {
  const text = answer.text ?? "";
  const images = answer.images ?? [];
  return text.trim() === "" && images.length === 0 ? undefined : { text, images };
}

/** Shows a person's words as a row. */
export function postFeedback(change: Change, feedback: Feedback): void {
  change.append({
    type: "say",
    say: "user_feedback",
    text: feedback.text,
    ...(feedback.images.length > 0 && { images: feedback.images }),
  });
}

/** Shows a person's words, and keeps them for the next request. */
export function hear(change: Change, feedback: Feedback): void {
  postFeedback(change, feedback);
  change.set({ pending: [...change.context.pending, ...blocksOf(feedback.text, feedback.images)] });
}
