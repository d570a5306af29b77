/**
 * A text block, in the format of the Anthropic Messages API. In a response, blocks keep fields that are not named here,
 * such as `citations` of a text or `caller` of a tool call.
 */
export type TextBlock = { readonly type: "text"; readonly text: string };
/** An image, in an entry of the user or in a tool result. */
export type ImageBlock = {
  readonly type: "image";
  readonly source: { readonly type: "base64"; readonly media_type: ImageMediaType; readonly data: string };
};
export type ImageMediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";
type ThinkingBlock = {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature: string;
};
type RedactedThinkingBlock = { readonly type: "redacted_thinking"; readonly data: string };
/** A tool call in a response. */
export type ToolUseBlock = {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
};
/** The result of a tool call, in the entry of the user that follows it. */
export type ToolResultBlock = {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: readonly (TextBlock | ImageBlock)[];
  readonly is_error?: boolean;
};
/** A block of a response that is not interpreted, as it came: it goes back to its model unchanged. */
export type OpaqueBlock = {
  readonly type: "opaque";
  readonly block: { readonly type: string; readonly [field: string]: unknown };
};

export type UserBlock = TextBlock | ImageBlock | ToolResultBlock;
export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | OpaqueBlock;

/** The model of a response. */
export interface ResponseModel {
  /** Who serves the model, such as `anthropic`. */
  readonly provider: string;
  /** Name of the model at its provider. */
  readonly id: string;
}

export type UserEntry = { readonly role: "user"; readonly content: readonly UserBlock[] };
export type AssistantEntry = {
  readonly role: "assistant";
  readonly content: readonly AssistantBlock[];
  /** Its model: thinking and opaque blocks go back only there. Absent in older journals and imported conversations. */
  readonly model?: ResponseModel;
};
/** One message of the API conversation. */
export type Entry = UserEntry | AssistantEntry;
