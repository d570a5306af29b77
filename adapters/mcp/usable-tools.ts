import type { McpToolDefinition } from "./connection.ts";
import type { McpLimits } from "./options.ts";

export interface UsableTools {
  readonly tools: readonly McpToolDefinition[];
  /** The reasons why others are left out. */
  readonly problems: readonly string[];
}

/** The tools of a server that a request to a model can have: an endpoint rejects a request with an invalid schema. */
export function usableTools(
  listed: readonly McpToolDefinition[],
  limits: Pick<McpLimits, "tools" | "schemaBytes">,
  assertSchema: (schema: McpToolDefinition["inputSchema"]) => void,
): UsableTools {
  const tools = new Map<string, McpToolDefinition>();
  const problems: string[] = [];
  for (const tool of listed.slice(0, limits.tools)) {
    const problem = tools.has(tool.name)
      ? "another tool has this name"
      : schemaProblem(tool, limits, assertSchema);
    if (problem === undefined) tools.set(tool.name, tool);
    else problems.push(`Its tool ${JSON.stringify(tool.name.slice(0, 100))} is left out: ${problem}.`);
  }
  if (listed.length > limits.tools)
    problems.push(`It lists ${listed.length} tools; the ones after ${limits.tools} are left out.`);
  return { tools: [...tools.values()], problems };
}

function schemaProblem(
  { inputSchema }: McpToolDefinition,
  { schemaBytes }: Pick<McpLimits, "schemaBytes">,
  assertSchema: (schema: McpToolDefinition["inputSchema"]) => void,
): string | undefined {
  const size = Buffer.byteLength(JSON.stringify(inputSchema));
  if (size > schemaBytes) return `its schema has ${size} bytes, expected at most ${schemaBytes}`;
  try {
    assertSchema(inputSchema);
    return undefined;
  } catch {
    // The validator may quote the schema, which is text of the server.
    return "its schema is not valid JSON Schema";
  }
}
