import type { ChatModel, ModelEvent } from "../../actors/index.ts";

const NO_USAGE = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };

/** A model in this process that answers at once: `answer` says what, by the number of answers given before. */
export function scriptModel(answer: (turn: number) => readonly ModelEvent[]): ChatModel {
  return {
    id: "bench-model",
    async *stream({ messages }) {
      const turn = messages.filter(({ role }) => role === "assistant").length;
      yield* answer(turn);
      yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
    },
  };
}

/** A call, whole. */
export function callOf(
  id: string,
  name: string,
  input: Readonly<Record<string, unknown>>,
): readonly ModelEvent[] {
  return [
    { type: "tool.start", id, name },
    { type: "tool.delta", json: JSON.stringify(input) },
    { type: "block.end" },
  ];
}
