import { NO_USAGE } from "../../machines/task/request.ts";
import type { ModelEvent } from "../../ports/model.ts";
import { type ScriptedTurn, scriptedModel, scriptedToolCall } from "../../testing/scripted-model.ts";

export { scriptedModel as scripted };
/** One response, given the signal that stops it. */
export type Turn = Extract<ScriptedTurn, (signal: AbortSignal) => unknown>;

/** The events of one call with these arguments, or with this text instead of JSON. */
export async function* call(...tool: Parameters<typeof scriptedToolCall>): AsyncGenerator<ModelEvent> {
  yield* scriptedToolCall(...tool);
}

/** A complete response that completes the task. */
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
