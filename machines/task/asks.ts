import { assertEvent } from "xstate";
import { textBlock } from "../conversation/blocks.ts";
import type { ImageBlock, TextBlock } from "../conversation/entry.ts";
import { userMessage } from "../conversation/notices.ts";
import { type Answer, ASKS, type AskType } from "../message/asks.ts";
import type { ElicitationRequest } from "../message/elicitation.ts";
import type { AskClosing } from "../message/message.ts";
import type { Decision, Feedback, Outcome } from "../tool-call/call.ts";
import { imageBlocks } from "../tool-call/feedback.ts";
import type { Change } from "./change.ts";
import { applyHeldPermissions } from "./held-permissions.ts";
import { recordMentions } from "./mentions.ts";
import type { OpenAsk } from "./task.context.ts";
import type { TaskEvent } from "./task.events.ts";
import type { AmendableCall } from "./task.setup.ts";

export const askActorId = (askId: number): string => `ask:${askId}`;

const KINDS = ["yes", "no", "text"] as const satisfies readonly Answer["kind"][];

/** The parts of an ask besides its text, and the inputs that it takes besides an answer. */
interface AskDetails {
  readonly callId?: string;
  readonly reason?: string | undefined;
  readonly errorCode?: string;
  readonly call?: AmendableCall | undefined;
  readonly elicitation?: { readonly id: string; readonly request: ElicitationRequest };
  readonly acceptedBy?: string | undefined;
}

/** Appends a complete ask as the last message and opens it for answers (L8). */
export function postAsk(
  change: Change,
  ask: AskType,
  text: string,
  { callId, reason, errorCode, call, elicitation, acceptedBy }: AskDetails = {},
): number {
  const id = change.append({
    type: "ask",
    ask,
    text,
    ...(callId !== undefined && { callId }),
    ...(reason !== undefined && { reason }),
    ...(errorCode !== undefined && { errorCode }),
  });
  const open = {
    id,
    ask,
    ...(callId !== undefined && { callId }),
    ...(elicitation !== undefined && { elicitationId: elicitation.id }),
  };
  openAsk(change, open, text, { call, elicitation: elicitation?.request, acceptedBy });
  return id;
}

/** Completes the partial ask that is the last message and opens it for answers. */
export function completeAsk(
  change: Change,
  id: number,
  ask: AskType,
  text: string,
  { callId, reason, call }: AskDetails & { readonly callId: string },
): number {
  change.amend(id, { text, partial: false, ...(reason !== undefined && { reason }) });
  openAsk(change, { id, ask, callId }, text, { call });
  return id;
}

/** The inputs that an ask takes besides an answer, for its actor. */
interface AskSubject {
  readonly call?: AmendableCall | undefined;
  readonly elicitation?: ElicitationRequest | undefined;
  readonly acceptedBy?: string | undefined;
}

export function openAsk(change: Change, ask: OpenAsk, text: string, subject?: AskSubject): void {
  change.set({ ask });
  const accepts = KINDS.filter((kind) => ASKS[ask.ask][kind] === "accepted");
  startAskActor(change, ask, text, accepts, subject);
}

export function startAskActor(
  change: Change,
  ask: OpenAsk,
  text: string,
  accepts: readonly Answer["kind"][],
  { call, elicitation, acceptedBy }: AskSubject = {},
): void {
  const { id: askId, ask: kind, callId } = ask;
  change.start("ask", askActorId(askId), {
    askId,
    ask: kind,
    text,
    accepts,
    ...(callId !== undefined && { callId }),
    ...(call !== undefined && { call }),
    ...(elicitation !== undefined && { elicitation }),
    ...(acceptedBy !== undefined && { acceptedBy }),
  });
}

/** Marks the open ask as closed, once, and stops its actor. What it held back applies. */
export function closeAsk(change: Change, closing: AskClosing): void {
  const { ask } = change.context;
  if (ask === undefined) return;
  change.amend(ask.id, { closing, ...(closing === "answered" && { isAnswered: true }) });
  stopAsk(change);
  applyHeldPermissions(change);
}

/** Stops the ask's actor without a mark: the ask of an accepted completion is already closed. */
export function stopAsk(change: Change): void {
  const { ask } = change.context;
  if (ask === undefined) return;
  change.stop("ask", askActorId(ask.id));
  change.set({ ask: undefined });
}

/** Closes the ask after its answer: from a person, or from a policy at its deadline. */
export function closeAnsweredAsk(change: Change): void {
  closeAsk(change, change.event.type === "ask.expired" ? "expired" : "answered");
}

export function receivedAnswer({ event }: Change): { answer: Answer; rule?: string } {
  assertEvent(event, ["ask.answered", "ask.expired"]);
  return event.type === "ask.expired" ? { answer: event.answer, rule: event.rule } : { answer: event.answer };
}

/** The amendment that came with a person's yes, and the digest of the amended arguments. */
export function receivedAmendment(event: TaskEvent): Pick<Decision, "digest" | "amendment"> | undefined {
  if (event.type !== "ask.answered" || event.answer.kind !== "yes") return undefined;
  const { answer, digest } = event;
  // Without a digest no call starts: none has it.
  return answer.amendment && { digest: digest ?? "", amendment: answer.amendment };
}

export const receivedFeedback = (change: Change): Feedback | undefined =>
  feedbackOf(receivedAnswer(change).answer);

/** Text and images of an answer; `undefined` if it has neither. */
export function feedbackOf(answer: Answer): Feedback | undefined {
  const text = answer.text ?? "";
  const images = answer.images ?? [];
  return text.trim() === "" && images.length === 0 ? undefined : { text, images };
}

/** The feedback of an answer that has none, where feedback is required. */
export const EMPTY_FEEDBACK: Feedback = { text: "", images: [] };

/** Appends feedback as a message. */
export function postFeedback(change: Change, feedback: Feedback): void {
  const ts = change.append({
    type: "say",
    say: "user_feedback",
    text: feedback.text,
    ...(feedback.images.length > 0 && { images: feedback.images }),
  });
  recordMentions(change, ts, feedback.text);
}

/** Appends feedback as a message and adds it to the next request. */
export function addFeedback(change: Change, feedback: Feedback): void {
  postFeedback(change, feedback);
  change.set({ pending: [...change.context.pending, ...feedbackBlocks(feedback)] });
}

/** Feedback as content for the model: the text, then the images. */
export function feedbackBlocks({ text, images }: Feedback): (TextBlock | ImageBlock)[] {
  const blocks = imageBlocks(images);
  return text.trim() === "" ? blocks : [textBlock(userMessage(text)), ...blocks];
}

/** Feedback as the result of a call: never empty. */
export const feedbackContent = (blocks: Outcome["content"]): Outcome["content"] =>
  blocks.length > 0 ? blocks : [textBlock(userMessage("(no text)"))];
