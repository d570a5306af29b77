import { ModelError } from "../../actors/llm/model-error.ts";
import { memoize } from "../../machines/conversation/memoize.ts";
import type { ModelRequest, ModelTool } from "../../ports/model.ts";
import type { BodyOptions } from "./request.ts";
import { isSelected } from "./tools.ts";

/**
 * Converts the schemas of strict tools to the part of JSON Schema that the endpoint can guarantee.
 *
 * @throws ModelError `invalid_request_error` for a schema without such a form
 */
export async function withStrictSchemas(request: ModelRequest, options: BodyOptions): Promise<ModelRequest> {
  if (options.tools?.strict === undefined) return request;
  return { ...request, tools: await strictTools(options)(request.tools) };
}

const strictTools = memoize((options: BodyOptions) =>
  memoize(async (tools: readonly ModelTool[]): Promise<readonly ModelTool[]> => {
    // A part of the SDK, and is loaded for the first request as well.
    const { transformJSONSchema } = await import("@anthropic-ai/sdk/lib/transform-json-schema");
    return tools.map((tool) =>
      isSelected(options.tools?.strict, tool.name) ? convert(tool, transformJSONSchema) : tool,
    );
  }),
);

function convert(tool: ModelTool, transform: (schema: ModelTool["input_schema"]) => object): ModelTool {
  try {
    return { ...tool, input_schema: { ...transform({ ...tool.input_schema, type: "object" }) } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ModelError(
      "invalid_request_error",
      `The tool ${tool.name} cannot be strict: ${reason}. Give each part of its schema a type, or leave it out of tools.strict.`,
      { retryable: false, cause: error },
    );
  }
}
