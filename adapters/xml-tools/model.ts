import type { StopReason } from "../../machines/task/task.events.ts";
import type { ChatModel, ModelEvent } from "../../ports/model.ts";
import { formatRequest } from "./format.ts";
import { XmlParser } from "./parser.ts";

export interface XmlToolsOptions {
  /**
   * Maximum length of thinking or of a JSON value in markup, in characters: it is held back until it ends. Default
   * 1,000,000.
   */
  readonly heldMaxChars?: number;
}

/**
 * A model that calls tools by XML in its text, for endpoints without tool calls. The tools are part of the system prompt,
 * calls and results part of the conversation's text, and `<thinking>` or `<think>` at the start of a response is thinking.
 *
 * @example
 * ```ts
 * import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
 * import { languageModel, xmlTools } from "signalbox/adapters";
 * const local = createOpenAICompatible({ name: "local", baseURL: "http://127.0.0.1:8080/v1" });
 * const model = xmlTools(languageModel(local("gemma3")));
 * ```
 */
export function xmlTools(model: ChatModel, { heldMaxChars = 1_000_000 }: XmlToolsOptions = {}): ChatModel {
  const { id, provider, endpoint, contextWindow, countTokens } = model;
  return {
    id,
    ...(provider !== undefined && { provider }),
    endpoint,
    contextWindow,
    ...(countTokens !== undefined && {
      countTokens: (request, signal) => countTokens.call(model, formatRequest(request), signal),
    }),
    async *stream(request, signal) {
      const { tools, messages } = request;
      const parser = new XmlParser({ tools, idPrefix: `xml_${messages.length}_`, heldMaxChars });
      for await (const event of model.stream(formatRequest(request), signal)) yield* parsed(parser, event);
    },
  };
}

function parsed(parser: XmlParser, event: ModelEvent): readonly ModelEvent[] {
  switch (event.type) {
    case "usage":
      return [event];
    case "text.delta": {
      const events = parser.push(event.text);
      // The endpoint is not silent while text is held back.
      return events.length > 0 ? events : [{ type: "text.delta", text: "" }];
    }
    case "finished": {
      const rest = parser.end();
      return [...rest, { ...event, stopReason: stopReasonOf(event.stopReason, parser.calls) }];
    }
    default:
      return [...parser.end(), event];
  }
}

/** The endpoint does not know that the response has calls. */
const stopReasonOf = (reason: StopReason, calls: number): StopReason =>
  calls > 0 && (reason === "end_turn" || reason === "stop_sequence") ? "tool_use" : reason;
