import { type Answer, ASKS, type AskClosing, type AskType } from "../message/index.ts";
import type { Change } from "./change.ts";
import type { OpenAsk } from "./task.types.ts";

export const askActorId = (askId: number): string => `ask:${askId}`;

const KINDS = ["yes", "no", "text"] as const satisfies readonly Answer["kind"][];

/** Appends a complete ask as the last row, and lets it be answered (L8). */
export function postAsk(change: Change, ask: AskType, text: string, callId?: string): void {
  const id = change.append({ type: "ask", ask, text, ...(callId !== undefined && { callId }) });
  openAsk(change, { id, ask, ...(callId !== undefined && { callId }) }, text);
}

/** Completes the partial ask that is the last row, and lets it be answered. */
export function completeAsk(change: Change, id: number, ask: AskType, text: string, callId: string): void {
  change.amend(id, { text, partial: false });
  openAsk(change, { id, ask, callId }, text);
}

export function openAsk(change: Change, ask: OpenAsk, text: string): void {
  change.set({ ask });
  const accepts = KINDS.filter((kind) => ASKS[ask.ask][kind] === "taken");
  startAsk(change, ask, text, accepts);
}

export function startAsk(
  change: Change,
  ask: OpenAsk,
  text: string,
  accepts: readonly Answer["kind"][],
): void {
  const { id: askId, ask: kind, callId } = ask;
  change.start("ask", askActorId(askId), {
    askId,
    ask: kind,
    text,
    accepts,
    ...(callId !== undefined && { callId }),
  });
}

/** Marks the open ask as closed, the one time that this is done, and ends its actor. */
export function closeAsk(change: Change, closing: AskClosing): void {
  const { ask } = change.context;
  if (ask === undefined) return;
  change.amend(ask.id, { closing, ...(closing === "answered" && { isAnswered: true }) });
  dropAsk(change);
}

/** Ends the ask's actor without another mark: a completion that was accepted before is already closed. */
export function dropAsk(change: Change): void {
  const { ask } = change.context;
  if (ask === undefined) return;
  change.stop("ask", askActorId(ask.id));
  change.set({ ask: undefined });
}
