import type { Entry } from "../../machines/conversation/entry.ts";

/** The id of the call and the text of each tool result of a conversation, in order. */
export const resultsById = (conversation: readonly Entry[]): readonly (readonly [string, string])[] =>
  conversation.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type !== "tool_result") return [];
      const texts = block.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
      return [[block.tool_use_id, texts.join("\n")] as const];
    }),
  );
