import { imageBlock, textBlock } from "../conversation/blocks.ts";
import type { ImageBlock } from "../conversation/entry.ts";
import { approvedWithFeedback, emptyResult } from "../conversation/notices.ts";
import type { Approval, Feedback, Outcome } from "./call.ts";

/** Images that came with an answer, as content for the model. */
export const imageBlocks = (images: readonly string[]): ImageBlock[] =>
  images.map(imageBlock).filter((block) => block !== undefined);

/** A call with what a person said with its approval. While hooks or policies over time hold the call, it is in `approval`. */
export interface Approved {
  readonly feedback?: Feedback;
  readonly approval?: Approval;
}

/** Add the feedback that came with the approval of a call to its outcome. The content is never empty. */
export function withFeedback(
  { approval, feedback = approval?.feedback }: Approved,
  outcome: Outcome,
): Outcome {
  const result = outcome.content.length === 0 ? [textBlock(emptyResult())] : outcome.content;
  const said =
    feedback === undefined
      ? []
      : [...imageBlocks(feedback.images), textBlock(approvedWithFeedback(feedback.text))];
  return { ...outcome, content: [...said, ...result] };
}
