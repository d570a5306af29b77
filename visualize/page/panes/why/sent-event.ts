import { isAtRest, topState } from "../../../../machines/message/states.ts";
import { answerSchema } from "../../../../wire/http/api.ts";
import type { Explanation, SupposedEvent } from "../../../../wire/http/explanation.ts";
import type { TaskActions } from "../../source.ts";

/** Sends an event of a person to a task. */
export type Send = (actions: TaskActions, taskId: string) => Promise<unknown>;

/**
 * How a person sends a supposed event to a fork of the moment before it: an answer, a queued message or a cancel.
 * Undefined for another event, and where more than an open ask is under way: a fork can't continue that.
 */
export function sentEvent(event: SupposedEvent, { before }: Pick<Explanation, "before">): Send | undefined {
  const state = topState(before);
  if (state !== "waiting_for_input" && !isAtRest(state)) return undefined;
  switch (event.type) {
    case "ask.answered": {
      const { askId } = event;
      const answer = answerSchema.safeParse(event.answer).data;
      if (typeof askId !== "number" || answer === undefined) return undefined;
      return (actions, id) => actions.answer(id, askId, answer);
    }
    case "queue.added": {
      const text = textOf(event.item);
      return text === undefined ? undefined : (actions, id) => actions.queue(id, text);
    }
    case "task.cancel":
      return (actions, id) => actions.cancel(id);
    default:
      return undefined;
  }
}

const textOf = (item: unknown): string | undefined =>
  typeof item === "object" && item !== null && "text" in item && typeof item.text === "string"
    ? item.text
    : undefined;

/** Fork a task after a record, and send a supposed event to the fork. Resolves with the id of the fork. */
export async function forkAndSend(
  actions: TaskActions,
  taskId: string,
  record: number,
  send: Send | undefined,
): Promise<string> {
  const { id } = await actions.fork(taskId, record, { keepAsk: send !== undefined });
  await send?.(actions, id);
  return id;
}
