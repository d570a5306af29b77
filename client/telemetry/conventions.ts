import type { Attributes } from "@opentelemetry/api";
import type { ModelRef, Usage } from "../../machines/task/task.events.ts";

/**
 * Attribute keys of the semantic conventions for generative AI, version 0.1.0. The package of constants has older names,
 * so they are defined here.
 */
export const KEY = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  finishReasons: "gen_ai.response.finish_reasons",
  conversation: "gen_ai.conversation.id",
  agent: "gen_ai.agent.name",
  toolName: "gen_ai.tool.name",
  toolCall: "gen_ai.tool.call.id",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_write.input_tokens",
  tokenType: "gen_ai.token.type",
  error: "error.type",
  /** The state in which a task settled, as a dotted path. */
  state: "signalbox.task.state",
  /** The kind of an ask. */
  ask: "signalbox.ask",
  /** The outcome of a tool call: `done`, `failed`, `interrupted`, ... */
  outcome: "signalbox.call.outcome",
} as const;

/** The tokens of a request. The input tokens include those read from the cache or written to it. */
export const tokensOf = ({ tokensIn, tokensOut, cacheReads, cacheWrites }: Usage) => ({
  input: tokensIn + cacheReads + cacheWrites,
  output: tokensOut,
});

export function usageAttributes(usage: Usage): Attributes {
  const { input, output } = tokensOf(usage);
  return {
    [KEY.inputTokens]: input,
    [KEY.outputTokens]: output,
    [KEY.cacheReadTokens]: usage.cacheReads,
    [KEY.cacheWriteTokens]: usage.cacheWrites,
  };
}

export const modelAttributes = (model: ModelRef | undefined): Attributes =>
  model === undefined ? {} : { [KEY.provider]: model.provider, [KEY.requestModel]: model.id };
