import { type Dialect, THOUGHT } from "./server.ts";

const STOP = { stop: "end_turn", calls: "tool_use", limit: "max_tokens", cut: null, silence: null };

/** The Messages API of Anthropic. */
export const anthropicMessages: Dialect = {
  frames: ({ blocks, end, usage = { input: 1, output: 1, cached: 0 } }) => {
    const frames = blocks.flatMap((block, index): readonly object[] => {
      const start = (content_block: object) => ({ type: "content_block_start", index, content_block });
      const delta = (fields: object) => ({ type: "content_block_delta", index, delta: fields });
      const stop = { type: "content_block_stop", index };
      if (block.type === "text")
        return [
          start({ type: "text", text: "" }),
          ...block.chunks.map((text) => delta({ type: "text_delta", text })),
          stop,
        ];
      if (block.type === "thinking")
        return [
          start({ type: "thinking", thinking: "", signature: "" }),
          ...block.chunks.map((thinking) => delta({ type: "thinking_delta", thinking })),
          delta({ type: "signature_delta", signature: THOUGHT }),
          stop,
        ];
      const { id, name, chunks } = block;
      return [
        start({ type: "tool_use", id, name, input: {} }),
        ...chunks.map((partial_json) => delta({ type: "input_json_delta", partial_json })),
        ...(end === "cut" ? [] : [stop]),
      ];
    });
    const input = {
      input_tokens: usage.input - usage.cached,
      cache_read_input_tokens: usage.cached,
      cache_creation_input_tokens: 0,
    };
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "model-1",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...input, output_tokens: 1 },
    };
    return {
      blocks: [{ type: "message_start", message }, ...frames],
      end: [
        {
          type: "message_delta",
          delta: { stop_reason: STOP[end], stop_sequence: null },
          usage: { output_tokens: usage.output },
        },
        { type: "message_stop" },
      ],
    };
  },
  error: (status, problem) => {
    const message =
      problem === "too long"
        ? "prompt is too long: 210000 tokens > 200000 maximum"
        : `Failed with ${status}.`;
    return { type: "error", error: { type: TYPES.get(status), message } };
  },
};

const TYPES = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [429, "rate_limit_error"],
  [500, "api_error"],
]);
