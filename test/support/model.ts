import type { ChatModel, ModelEvent } from "../../actors/index.ts";
import { NO_USAGE } from "../../machines/task/index.ts";

/** One answer, given the signal by which it is stopped. */
export type Turn = (signal: AbortSignal) => AsyncIterable<ModelEvent>;

/** A model in the process: the turn is chosen by the number of answers in the history, as the mock server does. */
export function scripted(turns: readonly Turn[]): ChatModel {
  return {
    id: "scripted",
    stream({ messages }, signal) {
      const turn = turns[messages.filter(({ role }) => role === "assistant").length];
      if (turn === undefined)
        throw new Error(`There is no turn for a history of ${messages.length} entries.`);
      return turn(signal);
    },
  };
}

/** The pieces of one call with these arguments, or with this text in their place. */
export async function* call(
  name: string,
  input: Record<string, unknown> | string,
  id = `toolu_${name}`,
): AsyncGenerator<ModelEvent> {
  yield { type: "tool.start", id, name };
  yield { type: "tool.delta", json: typeof input === "string" ? input : JSON.stringify(input) };
  yield { type: "block.end" };
}

/** A whole answer that completes the task. */
export async function* complete(result = "Done."): AsyncGenerator<ModelEvent> {
  yield* call("attempt_completion", { result });
  yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
}

export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

/** A promise that the test resolves. */
export function deferred<T = void>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
