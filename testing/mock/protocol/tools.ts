import { z } from "zod";
import { invalidRequest } from "./api-error.ts";
import { type MessagesRequest, read } from "./request.ts";

type Tools = NonNullable<MessagesRequest["tools"]>;
type RequestTool = Tools[number];

/** A tool that the API defines. A toolset has no name. */
interface ApiTool {
  readonly name?: string;
  /** The beta that it needs. */
  readonly beta?: string;
}

/** Tools of the API by type. */
const API_TOOLS = new Map<string, ApiTool>([
  ...["20250305", "20260209", "20260318"].map((date) => named("web_search", date)),
  ...["20250910", "20260209", "20260309", "20260318"].map((date) => named("web_fetch", date)),
  ...["20250522", "20250825", "20260120", "20260521"].map((date) => named("code_execution", date)),
  named("tool_search_tool_regex", "20251119"),
  named("tool_search_tool_bm25", "20251119"),
  ["tool_search_tool_regex", { name: "tool_search_tool_regex" }],
  ["tool_search_tool_bm25", { name: "tool_search_tool_bm25" }],
  named("bash", "20250124"),
  named("memory", "20250818"),
  ["text_editor_20250124", { name: "str_replace_editor" }],
  ["text_editor_20250429", { name: "str_replace_based_edit_tool" }],
  ["text_editor_20250728", { name: "str_replace_based_edit_tool" }],
  ["browser_toolset_20260801", {}],
  ["computer_toolset_20260801", {}],
  ["computer_20241022", { name: "computer", beta: "computer-use-2024-10-22" }],
  ["computer_20250124", { name: "computer", beta: "computer-use-2025-01-24" }],
  ["computer_20251124", { name: "computer", beta: "computer-use-2025-11-24" }],
  ["advisor_20260301", { name: "advisor", beta: "advisor-tool-2026-03-01" }],
  ["mcp_toolset", { beta: "mcp-client-2025-11-20" }],
]);

function named(name: string, date: string): [type: string, tool: ApiTool] {
  return [`${name}_${date}`, { name }];
}

const bool = z.boolean({ error: "Input should be a valid boolean" });
const flags = z.looseObject({
  type: z.string().nullish(),
  strict: bool.optional(),
  defer_loading: bool.optional(),
  eager_input_streaming: bool.nullish(),
});

/**
 * Reject tools that are unknown, unnamed or of one name, and options of tools that the API does not permit.
 *
 * @throws ApiError 400
 */
export function validateTools({ tools = [] }: MessagesRequest, betas: ReadonlySet<string>): void {
  const seen = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const { type } = read(flags, tool, ["tools", index]);
    if (type === undefined || type === null || type === "custom") validateClientTool(tool, index);
    else validateApiTool(tool, type, betas, index);
    if (tool.name === undefined) continue;
    if (seen.has(tool.name)) throw invalidRequest(`tools: Tool names must be unique: ${tool.name}`);
    seen.add(tool.name);
  }
  validateDeferred(tools);
}

function validateClientTool({ name, strict, input_schema }: RequestTool, index: number): void {
  if (name === undefined) throw invalidRequest(`tools.${index}.name: Field required`);
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
    throw invalidRequest(`tools.${index}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  }
  if (strict === true) validateStrictSchema(input_schema, `tools.${index}`);
}

function validateApiTool(
  { name }: RequestTool,
  type: string,
  betas: ReadonlySet<string>,
  index: number,
): void {
  const known = API_TOOLS.get(type);
  if (known === undefined || (known.beta !== undefined && !betas.has(known.beta))) {
    const hint = known?.beta === undefined ? "" : `. It needs the header anthropic-beta: ${known.beta}`;
    throw invalidRequest(
      `tools.${index}: Input tag '${type}' found using 'type' does not match any of the expected tags: 'custom', ${[...API_TOOLS.keys()].map((tag) => `'${tag}'`).join(", ")}${hint}`,
    );
  }
  if (name !== known.name)
    throw invalidRequest(
      known.name === undefined
        ? `tools.${index}.name: Extra inputs are not permitted`
        : `tools.${index}.name: Input should be '${known.name}'`,
    );
}

/** Keywords of JSON Schema that the API can't guarantee. */
const NOT_STRICT = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "maxItems", "uniqueItems", "minProperties", "maxProperties"],
];

function validateStrictSchema(schema: unknown, at: string): void {
  if (Array.isArray(schema)) for (const part of schema) validateStrictSchema(part, at);
  if (!isRecord(schema)) return;
  const { type, properties, $defs, ...rest } = schema;
  if (type === "object" && rest.additionalProperties !== false)
    throw invalidRequest(`${at}: For 'object' type, 'additionalProperties' must be explicitly set to false`);
  const wrong = NOT_STRICT.filter((keyword) => keyword in rest);
  if (wrong.length > 0)
    throw invalidRequest(
      `${at}: For '${String(type)}' type, properties ${wrong.join(", ")} are not supported`,
    );
  for (const part of [properties, $defs].filter(isRecord))
    for (const value of Object.values(part)) validateStrictSchema(value, at);
  for (const part of [rest.items, rest.anyOf, rest.allOf]) validateStrictSchema(part, at);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function validateDeferred(tools: Tools): void {
  const isDeferred = ({ defer_loading }: RequestTool) => defer_loading === true;
  if (!tools.some(isDeferred)) return;
  for (const [index, tool] of tools.entries())
    if (isDeferred(tool) && tool.cache_control !== undefined && tool.cache_control !== null)
      throw invalidRequest(
        `tools.${index}: Tool '${tool.name}' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.`,
      );
  if (tools.every(isDeferred))
    throw invalidRequest("tools: All tools have defer_loading set. At least one tool must be non-deferred.");
  if (!tools.some((tool) => !isDeferred(tool) && String(tool.type).startsWith("tool_search_tool_")))
    throw invalidRequest(
      "tools: defer_loading needs a tool search tool, such as tool_search_tool_bm25_20251119",
    );
}
