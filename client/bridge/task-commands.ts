import * as z from "zod";
import { type Answer, answerHandling } from "../../machines/message/asks.ts";
import { parseJson } from "../../machines/message/json.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import { isRefusalCode, type RefusalCode } from "../roo/extension/client-error.ts";
import type { WebviewMessage } from "../roo/extension/messages.ts";

/** The reason why a message was refused. */
export interface RefusalReason {
  readonly code: RefusalCode;
  readonly message: string;
  readonly askId?: number;
}

/** The result of a message: undefined if it was applied. */
export type Outcome = RefusalReason | undefined;

type Of<T extends WebviewMessage["type"]> = Extract<WebviewMessage, { readonly type: T }>;

/** Answer the ask that the message names. A text for an ask that takes none, such as a command's output, is queued. */
export function answer(task: Task, message: Of<"askResponse">, takesUnnamed: boolean): Outcome {
  const { askResponse, askId } = message;
  if (askId === undefined && !takesUnnamed) return unnamed();
  const open = openAsk(task, askId);
  if (open === undefined && askId === undefined) return noOpenAsk("askResponse");
  const given = askResponse === "objectResponse" ? choiceOf(message.text) : answerOf(askResponse, message);
  if (given === undefined) return objectResponse(askId);
  if (open !== undefined && given.kind === "text" && answerHandling(open.type, "text") === "queued")
    return queue(task, { text: given.text, ...(given.images && { images: given.images }) });
  return give(task, askId ?? open?.id ?? 0, given);
}

/** Continue a command in the background, or abort it. */
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

/** Queue a message. */
export const queue = (task: Task, { text, images }: Pick<Of<"queueMessage">, "text" | "images">): Outcome =>
  attempt(() => task.queue(text, images));

/** Edit a queued message. */
export const edit = (task: Task, { id, text, images }: Of<"editQueuedMessage">): Outcome =>
  attempt(() => task.editQueued(id, text, images));

/** Cancel a task with its subtasks. */
export const cancel = (task: Task): Outcome =>
  attempt(() => {
    task.cancel();
    return APPLIED;
  });

const APPLIED = {};

/** Switch the mode. */
export const switchMode = (task: Task, { mode }: Of<"mode">): Outcome => attempt(() => task.switchMode(mode));

/** The refusal of an operation: the one that it returns, or its error. */
function attempt(act: () => object): Outcome {
  try {
    const result: Partial<RefusalReason> = act();
    const { code, message = "" } = result;
    return code === undefined ? undefined : { code, message };
  } catch (error) {
    return failure(error);
  }
}

/** Remove a queued message. */
export function unqueue(task: Task, id: string): Outcome {
  const ids = task.snapshot.context.queue.map((item) => item.id);
  if (!ids.includes(id))
    return {
      code: "QUEUED_UNKNOWN",
      message: `The queue has no message ${id} (present: ${ids.join(", ") || "none"}). It may have been sent already.`,
    };
  task.unqueue(id);
  return undefined;
}

/** The refusal for an error: with its code, if it is one of a refusal. */
export function failure(error: unknown): RefusalReason {
  if (!(error instanceof Error)) return { code: "FAILED", message: String(error) };
  const code: unknown = "code" in error ? error.code : undefined;
  const isKnown = typeof code === "string" && isRefusalCode(code);
  return { code: isKnown ? code : "FAILED", message: error.message };
}

/** Whether the ask is shown but can be answered only after the effects of the present commit have started. */
export const isOpening = (task: Task, askId: number | undefined): boolean =>
  askId !== undefined && task.snapshot.context.ask?.id === askId && openAsk(task, askId) === undefined;

function openAsk(task: Task, askId: number | undefined): Ask | undefined {
  return askId === undefined ? task.asks.at(-1) : task.asks.find(({ id }) => id === askId);
}

function give(task: Task, askId: number, given: Answer): Outcome {
  const result = task.answer(askId, given);
  return result.ok ? undefined : { code: result.code, message: result.message, askId };
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

/** The choice among the files of a call: a JSON object from key to boolean. */
function choiceOf(text: string | undefined): Answer | undefined {
  const chosen = z.record(z.string(), z.boolean()).safeParse(parseJson(text ?? ""));
  return chosen.success ? { kind: "yes", amendment: { files: chosen.data } } : undefined;
}

const noOpenAsk = (of: string): RefusalReason => ({
  code: "NO_OPEN_ASK",
  message: `${of} came while no ask is open. Wait for one, or send queueMessage.`,
});

const unnamed = (): RefusalReason => ({
  code: "ASK_UNNAMED",
  message:
    "askResponse names no ask, so it may have been given before this one was shown. Send the `askId` of the answered ask: the `ts` of its message.",
});

const objectResponse = (askId: number | undefined): RefusalReason => ({
  code: "OBJECT_RESPONSE",
  message:
    "objectResponse expects a `text` that is a JSON object from the key of each file to true or false. Send one, or yesButtonClicked, noButtonClicked or messageResponse.",
  ...(askId !== undefined && { askId }),
});
