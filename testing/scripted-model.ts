import type { ChatModel, ModelEvent } from "../ports/model.ts";

/** One response: its events, or a function that streams them and may stop when `signal` aborts. */
export type ScriptedTurn = readonly ModelEvent[] | ((signal: AbortSignal) => AsyncIterable<ModelEvent>);

const NO_USAGE = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };

/**
 * A model in this process, without HTTP. The turn is chosen by the number of responses in the conversation. A list of
 * events is followed by a `finished` event; a function streams its own.
 *
 * @param turns the responses in order, or a function of the turn's number, from 0
 * @throws Error at a request for a turn that the list doesn't have
 * @example
 * ```ts
 * import { createHost, memoryJournal } from "signalbox";
 * import { scriptedModel, scriptedToolCall } from "signalbox/testing";
 *
 * const host = createHost({ journal: () => memoryJournal() });
 * const model = scriptedModel([scriptedToolCall("attempt_completion", { result: "Hello." })]);
 * const task = await host.create({ model, workspace: "." });
 * console.log((await task.run("Say hello")).result); // Hello.
 * await host.closeAll();
 * ```
 */
export function scriptedModel(
  turns: readonly ScriptedTurn[] | ((turn: number) => ScriptedTurn),
  { id = "scripted" }: { readonly id?: string } = {},
): ChatModel {
  return { id, stream: ({ messages }, signal) => respond(turns, messages, signal) };
}

async function* respond(
  turns: Parameters<typeof scriptedModel>[0],
  messages: readonly { readonly role: string }[],
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const index = messages.filter(({ role }) => role === "assistant").length;
  const turn = typeof turns === "function" ? turns(index) : turns[index];
  if (turn === undefined)
    throw new Error(`Turn ${index + 1} was requested: expected at most ${turns.length}. Add a turn.`);
  if (typeof turn === "function") yield* turn(signal);
  else {
    yield* turn;
    yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
  }
}

/** The events of one tool call. `input` as text is streamed as it is, also if it is not JSON. */
export function scriptedToolCall(
  name: string,
  input: Readonly<Record<string, unknown>> | string,
  id = `toolu_${name}`,
): readonly ModelEvent[] {
  return [
    { type: "tool.start", id, name },
    { type: "tool.delta", json: typeof input === "string" ? input : JSON.stringify(input) },
    { type: "block.end" },
  ];
}
