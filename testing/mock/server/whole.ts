import type { Reply, ReplyBlock } from "./reply.ts";

/** A reply as one message, for a request that does not stream. */
export function wholeMessage(reply: Reply) {
  return {
    id: reply.id,
    type: "message",
    role: "assistant",
    model: reply.model,
    content: reply.blocks.map(contentOf),
    stop_reason: reply.stop,
    stop_sequence: reply.stopSequence,
    usage: reply.usage,
  };
}

function contentOf({ block, id }: ReplyBlock): object {
  if (block.kind === "text") return { type: "text", text: block.text };
  if (block.kind === "thinking") {
    return { type: "thinking", thinking: block.text, signature: block.signature };
  }
  if (block.kind === "redacted") return { type: "redacted_thinking", data: block.data };
  return { type: "tool_use", id, name: block.tool, input: block.input };
}
