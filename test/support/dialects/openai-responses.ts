import { openaiError } from "./openai-chat.ts";
import { type Dialect, THOUGHT } from "./server.ts";

/** The Responses API of OpenAI. */
export const openaiResponses: Dialect = {
  frames: ({ blocks, end, usage = { input: 1, output: 1, cached: 0 } }) => {
    const frames = blocks.flatMap((block, index): readonly object[] => {
      const item_id = `item_${index}`;
      const item = (kind: "added" | "done", fields: object) => ({
        type: `response.output_item.${kind}`,
        output_index: index,
        item: { id: item_id, ...fields },
      });
      if (block.type === "text")
        return [
          item("added", { type: "message" }),
          ...block.chunks.map((delta) => ({
            type: "response.output_text.delta",
            item_id,
            output_index: index,
            delta,
          })),
          item("done", { type: "message" }),
        ];
      if (block.type === "thinking")
        return [
          item("added", { type: "reasoning", encrypted_content: null }),
          { type: "response.reasoning_summary_part.added", item_id, summary_index: 0 },
          ...block.chunks.map((delta) => ({
            type: "response.reasoning_summary_text.delta",
            item_id,
            summary_index: 0,
            delta,
          })),
          item("done", { type: "reasoning", encrypted_content: THOUGHT, summary: [] }),
        ];
      const { id: call_id, name } = block;
      const call = { type: "function_call", call_id, name };
      const done = { ...call, arguments: block.chunks.join(""), status: "completed" };
      return [
        item("added", { ...call, arguments: "" }),
        ...block.chunks.map((delta) => ({
          type: "response.function_call_arguments.delta",
          item_id,
          output_index: index,
          delta,
        })),
        ...(end === "cut" ? [] : [item("done", done)]),
      ];
    });
    const total = {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
    };
    const last =
      end === "limit"
        ? {
            type: "response.incomplete",
            response: { incomplete_details: { reason: "max_output_tokens" }, usage: total },
          }
        : { type: "response.completed", response: { incomplete_details: null, usage: total } };
    const created = { type: "response.created", response: { id: "r", created_at: 1, model: "model-1" } };
    return { blocks: [created, ...frames], end: [last] };
  },
  error: openaiError,
};
