import { backgroundLost, textBlock, uncertain } from "../conversation/index.ts";
import {
  type AskType,
  type ClineMessage,
  closedRequestText,
  isAskType,
  isRequestOpen,
  isRequestRow,
} from "../message/index.ts";
import { openAsk, postAsk } from "./asks.ts";
import { settle } from "./calls.ts";
import type { Change } from "./change.ts";
import { API_PROTOCOL } from "./request.ts";
import { settleEndedSubtasks } from "./subtask.ts";
import { callsIn } from "./turn.ts";
import { NO_USAGE } from "./usage.ts";

/**
 * What a task that is opened from its journal does first: it closes what the end of its process left open, says
 * what is uncertain, and asks whether to go on (L11, L12). One that was asking that already asks it still.
 */
export function recover(change: Change): void {
  const { reopening, log, turn } = change.context;
  if (reopening === undefined) return;
  change.set({ reopening: undefined });
  // Calls of an answer that was cut are remembered until somebody says that they are over.
  if (turn.calls.length === 0) change.emit({ type: "turn.ended" });
  const last = log.at(-1);
  const kept = last === undefined ? undefined : resumeAskIn(last);
  // What is uncertain is told by a row: not behind an open ask.
  if (last !== undefined && kept !== undefined && !isAnythingUncertain(change)) {
    openAsk(change, { id: last.ts, ask: kept }, last.text ?? "");
    return;
  }
  closeRows(change);
  settleEndedSubtasks(change);
  sayWhatIsUncertain(change);
  postAsk(change, reopening.wasCompleted ? "resume_completed_task" : "resume_task", "");
}

/** The ask to go on, if this row is one and nobody has answered it. */
function resumeAskIn({ ask, closing }: ClineMessage): AskType | undefined {
  if (closing !== undefined || !isAskType(ask)) return undefined;
  return ask === "resume_task" || ask === "resume_completed_task" ? ask : undefined;
}

/** Closes the row that was last, and the request that was open: no other can be (L3, L4, L8). */
function closeRows(change: Change): void {
  const { log } = change.context;
  const last = log.at(-1);
  const isOpenAsk = last?.type === "ask" && last.closing === undefined && isAskType(last.ask);
  if (last !== undefined && (last.partial === true || isOpenAsk)) {
    change.amend(last.ts, {
      ...(last.partial === true && { partial: false }),
      ...(last.type === "ask" && { closing: "withdrawn" }),
    });
  }
  for (let position = log.length - 1; position >= 0; position -= 1) {
    const row = log.at(position);
    if (row === undefined || !isRequestRow(row)) continue;
    if (isRequestOpen(row)) change.amend(row.ts, { text: closedByCrash() });
    return;
  }
}

const closedByCrash = (): string =>
  closedRequestText({
    apiProtocol: API_PROTOCOL,
    ...NO_USAGE,
    cancelReason: "streaming_failed",
    streamingFailedMessage: "The process ended before the answer did.",
  });

/** Calls that were started, and whose end nobody recorded. An offered completion did nothing. */
const uncertainCalls = ({ context }: Change) =>
  callsIn(context, "stopped").filter(({ ask }) => ask !== "completion_result");

const isAnythingUncertain = (change: Change): boolean =>
  change.context.background.length > 0 || uncertainCalls(change).length > 0;

/** The user is told now; the model with the next request (L12). */
function sayWhatIsUncertain(change: Change): void {
  for (const call of uncertainCalls(change)) {
    settle(change, call, "uncertain", uncertain(call.name));
    change.append({ type: "say", say: "error", text: uncertain(call.name), callId: call.callId });
  }
  const { background, pending } = change.context;
  if (background.length === 0) return;
  const lost = background.map(({ command }) => backgroundLost(command));
  for (const text of lost) change.append({ type: "say", say: "error", text });
  change.set({ background: [], pending: [...pending, ...lost.map((text) => textBlock(text))] });
}
