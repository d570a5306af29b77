/**
 * A language model of the AI SDK: the part of `LanguageModelV3` (`@ai-sdk/provider` 3) and `LanguageModelV4` (4) that is
 * used. Its types are structural, so that none of its packages is needed.
 */
export type LanguageModel =
  | Version<"v3", string, never>
  | Version<"v4", TaggedData, CustomPart | ReasoningFilePart>;

interface Version<TName, TData, TMore> {
  readonly specificationVersion: TName;
  /** Such as `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
  doStream(options: CallOptions<TData, TMore>): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

/** Base64 in version 4. */
export interface TaggedData {
  type: "data";
  data: string;
}

/** Fields of a block by the provider that understands them. */
export type ProviderOptions = Record<string, Record<string, JsonValue>>;
export type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue };

/** Options of a request. `TData`: base64; `TMore`: parts that one version has. */
export interface CallOptions<TData, TMore> {
  prompt: PromptMessage<TData, TMore>[];
  tools?: PromptTool[];
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  abortSignal?: AbortSignal;
  includeRawChunks?: boolean;
  providerOptions?: ProviderOptions;
}

export interface PromptTool {
  type: "function";
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

export type PromptMessage<TData, TMore> =
  | { role: "system"; content: string }
  | { role: "user"; content: (TextPart | FilePart<TData>)[] }
  | { role: "assistant"; content: ResponsePart<TData, TMore>[] }
  | { role: "tool"; content: ToolResultPart[] };

interface Optional {
  providerOptions?: ProviderOptions;
}

export interface TextPart extends Optional {
  type: "text";
  text: string;
}

export interface FilePart<TData> extends Optional {
  type: "file";
  data: TData;
  mediaType: string;
}

export interface ToolResultPart extends Optional {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text" | "error-text"; value: string } | { type: "json"; value: JsonValue };
}

export type ResponsePart<TData, TMore> =
  | TextPart
  | FilePart<TData>
  | ToolResultPart
  | ({ type: "reasoning"; text: string } & Optional)
  | ({
      type: "tool-call";
      toolCallId: string;
      toolName: string;
      input: unknown;
      providerExecuted?: boolean;
    } & Optional)
  | TMore;

export interface CustomPart extends Optional {
  type: "custom";
  kind: `${string}.${string}`;
}

export interface ReasoningFilePart extends Optional {
  type: "reasoning-file";
  data: TaggedData;
  mediaType: string;
}
