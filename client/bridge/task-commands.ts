import { type Answer, answerHandling } from "../../machines/message/index.ts";
import { type Ask, HostError, type Task } from "../../runtime/task/index.ts";
import type { RefusalCode } from "../extension/client-error.ts";
import type { WebviewMessage } from "../extension/messages.ts";

/** Why a message was not done. */
export interface NotDone {
  readonly code: RefusalCode;
  readonly message: string;
  readonly askId?: number;
}

/** What becomes of a message: done, or not, or known only once effects that begin now have begun. */
export type Outcome = NotDone | undefined;

type Of<T extends WebviewMessage["type"]> = Extract<WebviewMessage, { readonly type: T }>;

/**
 * Gives an answer to the ask that it names. Words for an ask that takes none, such as a command's output, wait in the
 * queue.
 */
export function answer(task: Task, message: Of<"askResponse">, takesUnnamed: boolean): Outcome {
  const { askResponse, askId } = message;
  if (askResponse === "objectResponse") return objectResponse(askId);
  if (askId === undefined && !takesUnnamed) return unnamed();
  const open = openAsk(task, askId);
  if (open === undefined && askId === undefined) return noOpenAsk("askResponse");
  const given = answerOf(askResponse, message);
  if (open !== undefined && given.kind === "text" && answerHandling(open.kind, "text") === "queued")
    return queue(task, { text: given.text, ...(given.images && { images: given.images }) });
  return give(task, askId ?? open?.id ?? 0, given);
}

/** Goes on with a command beside the agent, or ends it. */
export function terminal(task: Task, { askId, terminalOperation }: Of<"terminalOperation">): Outcome {
  const open = openAsk(task, askId);
  if (open === undefined && askId === undefined) return noOpenAsk("terminalOperation");
  if (open !== undefined && open.kind !== "command_output")
    return {
      code: "ANSWER_REFUSED",
      askId: open.id,
      message: `terminalOperation is about a command's output; ask ${open.id} is ${open.kind}. Answer it with askResponse.`,
    };
  return give(task, askId ?? open?.id ?? 0, { kind: terminalOperation === "continue" ? "yes" : "no" });
}

/** Puts words into the task's queue. */
export function queue(task: Task, { text, images }: Pick<Of<"queueMessage">, "text" | "images">): Outcome {
  try {
    const result = task.queue(text, images);
    return result.queued ? undefined : { code: result.code, message: result.message };
  } catch (error) {
    return failure(error);
  }
}

/** Changes words that wait in the task's queue. */
export function edit(task: Task, { id, text, images }: Of<"editQueuedMessage">): Outcome {
  try {
    const result = task.editQueued(id, text, images);
    return result.edited ? undefined : { code: result.code, message: result.message };
  } catch (error) {
    return failure(error);
  }
}

/** Has the task work in another mode. */
export function switchMode(task: Task, { mode }: Of<"mode">): Outcome {
  try {
    const result = task.switchMode(mode);
    return result.switched ? undefined : { code: result.code, message: result.message };
  } catch (error) {
    return failure(error);
  }
}

/** Takes words out of the queue again. */
export function unqueue(task: Task, id: string): Outcome {
  if (!task.snapshot.context.queue.some((item) => item.id === id)) return notQueued(task, id);
  task.unqueue(id);
  return undefined;
}

function notQueued(task: Task, id: string): NotDone {
  const ids = task.snapshot.context.queue.map((item) => item.id).join(", ") || "none";
  return {
    code: "QUEUED_UNKNOWN",
    message: `No message ${id} waits in the queue (there: ${ids}). It may be said already.`,
  };
}

/** What was thrown, as a refusal. */
export function failure(error: unknown): NotDone {
  const message = error instanceof Error ? error.message : String(error);
  return { code: error instanceof HostError ? error.code : "FAILED", message };
}

/** Whether the ask is shown but can be answered only once the effects of the commit that is being shown have begun. */
export const isOpening = (task: Task, askId: number | undefined): boolean =>
  askId !== undefined && task.snapshot.context.ask?.id === askId && openAsk(task, askId) === undefined;

function openAsk(task: Task, askId: number | undefined): Ask | undefined {
  return askId === undefined ? task.asks.at(-1) : task.asks.find(({ id }) => id === askId);
}

function give(task: Task, askId: number, given: Answer): Outcome {
  const result = task.answer(askId, given);
  return result.taken ? undefined : { code: result.code, message: result.message, askId };
}

function answerOf(
  askResponse: "yesButtonClicked" | "noButtonClicked" | "messageResponse",
  { text, images }: Of<"askResponse">,
): Answer {
  const pictures = images === undefined ? {} : { images };
  if (askResponse === "messageResponse") return { kind: "text", text: text ?? "", ...pictures };
  const kind = askResponse === "yesButtonClicked" ? "yes" : "no";
  return { kind, ...(text !== undefined && { text }), ...pictures };
}

const noOpenAsk = (of: string): NotDone => ({
  code: "NO_OPEN_ASK",
  message: `${of} came while no ask is open. Wait for one; to speak without one, send queueMessage.`,
});

const unnamed = (): NotDone => ({
  code: "ASK_UNNAMED",
  message:
    "askResponse names no ask, so it may have been given before this one was shown. Send the `askId` that is answered: the `ts` of its row.",
});

const objectResponse = (askId: number | undefined): NotDone => ({
  code: "OBJECT_RESPONSE",
  message:
    "No ask takes objectResponse. Send yesButtonClicked, noButtonClicked or messageResponse, with words in `text`.",
  ...(askId !== undefined && { askId }),
});
