import type { ThinkingConfigParam } from "@anthropic-ai/sdk/resources/messages";

/** The part of thinking that the endpoint sends: a summary, or only its signature. The default depends on the model. */
type ThinkingDisplay = "summarized" | "omitted";

/** How much a model may think before its response. */
export type Thinking =
  | "adaptive"
  | "disabled"
  /** No thinking, and progress updates between tool calls as thinking. */
  | "between_tools"
  | { readonly type: "adaptive"; readonly display?: ThinkingDisplay | undefined }
  | {
      /** At least 1,024 tokens, and less than `maxTokens` unless `interleaved`. */
      readonly budgetTokens: number;
      readonly display?: ThinkingDisplay | undefined;
      /** Also between tool calls, by a beta of the API. The budget is for a whole turn. */
      readonly interleaved?: boolean | undefined;
    };

const INTERLEAVED = "interleaved-thinking-2025-05-14";

export function thinkingOf(thinking: Thinking): ThinkingConfigParam {
  if (typeof thinking === "string") return { type: thinking };
  const display = thinking.display === undefined ? {} : { display: thinking.display };
  if (!("budgetTokens" in thinking)) return { type: thinking.type, ...display };
  return { type: "enabled", budget_tokens: thinking.budgetTokens, ...display };
}

/** Tokens for thinking alone. */
export function budgetOf(thinking: Thinking | undefined): number {
  return typeof thinking === "object" && "budgetTokens" in thinking ? thinking.budgetTokens : 0;
}

/** The betas of the API that a request with this thinking needs. */
export function betasOf(thinking: Thinking | undefined): readonly string[] {
  const isInterleaved = typeof thinking === "object" && "interleaved" in thinking && thinking.interleaved;
  return isInterleaved === true ? [INTERLEAVED] : [];
}
