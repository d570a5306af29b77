/**
 * A language model of the AI SDK: the part of `LanguageModelV3` (`@ai-sdk/provider` 3) and `LanguageModelV4` (4) that is
 * used. Its types are structural, so that none of its packages is needed.
 */
export interface LanguageModel {
  readonly specificationVersion: "v3" | "v4";
  /** Such as `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
  doStream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

/** Fields of a block by the provider that understands them. */
export type ProviderOptions = Record<string, Record<string, JsonValue>>;
export type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue };

/** Options of a request: valid ones of both versions. */
export interface CallOptions {
  prompt: PromptMessage[];
  tools?: PromptTool[];
  maxOutputTokens?: number;
  abortSignal?: AbortSignal;
  providerOptions?: ProviderOptions;
}

export interface PromptTool {
  type: "function";
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

export type PromptMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: (TextPart | FilePart)[] }
  | { role: "assistant"; content: ResponsePart[] }
  | { role: "tool"; content: ToolResultPart[] };

interface Optional {
  providerOptions?: ProviderOptions;
}

export interface TextPart extends Optional {
  type: "text";
  text: string;
}

export interface FilePart extends Optional {
  type: "file";
  /** Base64; in version 4 with its kind. */
  data: string | { type: "data"; data: string };
  mediaType: string;
}

export interface ToolResultPart extends Optional {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text" | "error-text"; value: string } | { type: "json"; value: JsonValue };
}

export type ResponsePart =
  | TextPart
  | FilePart
  | ToolResultPart
  | ({ type: "reasoning"; text: string } & Optional)
  | ({
      type: "tool-call";
      toolCallId: string;
      toolName: string;
      input: unknown;
      providerExecuted?: boolean;
    } & Optional)
  | ({ type: "custom"; kind: `${string}.${string}` } & Optional)
  | ({ type: "reasoning-file"; data: { type: "data"; data: string }; mediaType: string } & Optional);
