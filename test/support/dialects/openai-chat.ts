import type { Dialect } from "./server.ts";

const chunk = (delta: object, finish: string | null = null) => ({
  id: "chat_1",
  object: "chat.completion.chunk",
  created: 1,
  model: "model-1",
  choices: [{ index: 0, delta, finish_reason: finish }],
});

const FINISH = { stop: "stop", calls: "tool_calls", limit: "length", cut: null, silence: null };

/** Chat Completions of OpenAI, which most compatible endpoints speak. */
export const openaiChat: Dialect = {
  frames: ({ blocks, end, usage = { input: 1, output: 1, cached: 0 } }) => {
    let calls = -1;
    const frames = blocks.flatMap((block): readonly object[] => {
      if (block.type === "text") return block.chunks.map((content) => chunk({ content }));
      if (block.type === "thinking")
        return block.chunks.map((reasoning_content) => chunk({ reasoning_content }));
      const { id, name, chunks } = block;
      calls += 1;
      const index = calls;
      return [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
        ...chunks.map((json) => chunk({ tool_calls: [{ index, function: { arguments: json } }] })),
      ];
    });
    const total = {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached },
    };
    return {
      blocks: [chunk({ role: "assistant", content: "" }), ...frames],
      end: [chunk({}, FINISH[end]), { ...chunk({}), choices: [], usage: total }, "[DONE]"],
    };
  },
  error: openaiError,
};

export function openaiError(status: number, problem: "too long" | "other"): object {
  const message =
    problem === "too long"
      ? "This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 tokens."
      : `Failed with ${status}.`;
  const code = problem === "too long" ? "context_length_exceeded" : null;
  return { error: { message, type: "error", param: null, code } };
}
