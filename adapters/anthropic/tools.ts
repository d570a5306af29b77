import type { ClientToolUnion, Tool, ToolUnion } from "@anthropic-ai/sdk/resources/messages";
import type { ModelTool } from "../../ports/model.ts";

/** All tools, none, or the tools of these names. A name that a request has no tool for is ignored. */
export type ToolSelection = boolean | readonly string[];

/** How the endpoint handles the tools of a task. */
export interface ToolOptions {
  /**
   * The input fits the schema. Keywords of a schema that the endpoint can't guarantee, such as `maxLength`, are sent in
   * its description, and no object may have properties beyond its schema.
   */
  readonly strict?: ToolSelection | undefined;
  /** Left out of the prompt until the model finds them, which needs a tool search among the `serverTools`. */
  readonly deferLoading?: ToolSelection | undefined;
  /** The input is streamed as it is generated, before the endpoint knows that it is valid JSON. */
  readonly eagerInputStreaming?: ToolSelection | undefined;
}

/**
 * A tool that the endpoint runs, in the API's own format: web search, web fetch, tool search, or a newer one. A type
 * that is a beta needs its `anthropic-beta` header.
 */
export type ServerTool =
  | Readonly<Exclude<ToolUnion, ClientToolUnion>>
  | { readonly type: string; readonly name: string; readonly [field: string]: unknown };

export const isSelected = (selection: ToolSelection | undefined, name: string): boolean =>
  typeof selection === "object" ? selection.includes(name) : selection === true;

export function toolOf({ name, description, input_schema }: ModelTool, options: ToolOptions = {}): Tool {
  const { strict, deferLoading, eagerInputStreaming } = options;
  return {
    name,
    description,
    input_schema: { ...input_schema, type: "object" },
    ...(isSelected(strict, name) && { strict: true }),
    ...(isSelected(deferLoading, name) && { defer_loading: true }),
    ...(isSelected(eagerInputStreaming, name) && { eager_input_streaming: true }),
  };
}
