import { type Dialect, THOUGHT } from "./server.ts";

const chunk = (part: object) => ({ candidates: [{ index: 0, content: { role: "model", parts: [part] } }] });

/** The Gemini API. Its calls come whole. */
export const google: Dialect = {
  frames: ({ blocks, end, usage = { input: 1, output: 1, cached: 0 } }) => {
    const frames = blocks.flatMap((block): readonly object[] => {
      if (block.type === "text") return block.chunks.map((text) => chunk({ text }));
      if (block.type === "thinking") return block.chunks.map((text) => chunk({ text, thought: true }));
      const functionCall = { name: block.name, args: JSON.parse(block.chunks.join("")) };
      return [chunk({ functionCall, thoughtSignature: THOUGHT })];
    });
    const usageMetadata = {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
      cachedContentTokenCount: usage.cached,
    };
    const finishReason = end === "limit" ? "MAX_TOKENS" : "STOP";
    const last = {
      candidates: [{ index: 0, content: { role: "model", parts: [] }, finishReason }],
      usageMetadata,
    };
    return { blocks: frames, end: [last] };
  },
  error: (code, problem) => {
    const message =
      problem === "too long"
        ? "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575)."
        : `Failed with ${code}.`;
    return { error: { code, message, status: "ERROR" } };
  },
};
