import type { TextBlock } from "../../machines/conversation/entry.ts";
import { approvedWithFeedback } from "../../machines/conversation/notices.ts";
import type { Feedback, ToolCall } from "../../machines/tool-call/call.ts";
import { isSame, type Law } from "./law.ts";

type Content = readonly (TextBlock | { readonly type: string })[];

function feedbackOf(call: ToolCall): Feedback | undefined {
  if ("feedback" in call) return call.feedback;
  return "approval" in call ? call.approval?.feedback : undefined;
}

const textsOf = (content: Content): readonly string[] =>
  content.flatMap((block) => (block.type === "text" && "text" in block ? [block.text] : []));

/** Whether a result has this text and nothing else but the feedback that came with the approval of its call. */
export function hasOnly(
  { feedback }: { readonly feedback?: Feedback },
  content: Content,
  text: string,
): boolean {
  const texts = textsOf(content);
  const said = feedback === undefined ? [] : [approvedWithFeedback(feedback.text)];
  const images = content.length - texts.length;
  return isSame(texts, [...said, text]) && images <= (feedback?.images.length ?? 0);
}

/** L7: a person's comment on an approval reaches the model with the result of the call, however the call ends. */
export const feedback: Law = {
  id: "L7",
  title: "a person's comment on an approval is in the result of its call, however the call ends",
  violation({ before, after }) {
    for (const was of before.context.turn.calls) {
      const said = feedbackOf(was);
      const is = said && after.context.turn.calls.find(({ callId }) => callId === was.callId);
      if (said === undefined || is?.phase !== "settled" || was.phase === "settled") continue;
      if (textsOf(is.outcome.content)[0] !== approvedWithFeedback(said.text))
        return `${was.callId} is settled without what was said with its approval`;
    }
    return undefined;
  },
};
