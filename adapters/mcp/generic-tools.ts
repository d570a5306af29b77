import { z } from "zod";
import { defineTool } from "../../tools/define-tool.ts";
import { boundedDescriptor } from "../../tools/descriptor.ts";
import { ToolError } from "../../tools/error.ts";
import type { Tool } from "../../tools/tool.ts";
import type { McpServer } from "./server.ts";

/** The servers that the tools below look up. */
export interface McpDirectory {
  readonly servers: readonly McpServer[];
  /** The tool of a server, as the model calls it directly. */
  find(server: string, tool: string): Tool | undefined;
}

const quoted = (names: readonly string[]): string =>
  names.length === 0 ? "none" : names.map((name) => JSON.stringify(name)).join(", ");

const SERVER_NAME = z.string().min(1).describe("The name of the server.");

const Use = z.strictObject({
  server_name: SERVER_NAME,
  tool_name: z.string().min(1).describe("The name of the tool, as its server calls it."),
  arguments: z.record(z.string(), z.unknown()).nullish().describe("The arguments of the tool."),
});

/** The tool that uses a tool of a server by the names of both, as Roo Code has it. */
export function mcpToolByName(directory: McpDirectory): Tool {
  const tool = defineTool({
    name: "use_mcp_tool",
    displayName: "Use a tool of an MCP server",
    group: "mcp",
    description:
      "Uses a tool of an MCP server by the names of both. Call a tool directly instead where it is in your list.",
    inputSchema: Use,
    effect: "executes",
    ask: "use_mcp_server",
    elicits: true,
    // The tool gets the call.
    execute: () => Promise.reject(new ToolError("NOT_RUN", "The tool of the server runs, not this one.")),
  });
  return {
    ...tool,
    prepare(input) {
      const { success, data } = Use.safeParse(input);
      if (!success) return tool.prepare(input);
      const { server_name, tool_name, arguments: given } = data;
      const used = directory.find(server_name, tool_name);
      return (
        used?.prepare(given ?? {}) ?? { ok: false, error: unknownTool(directory, server_name, tool_name) }
      );
    },
  };
}

function unknownTool({ servers }: McpDirectory, name: string, tool: string): string {
  const server = servers.find((each) => each.name === name);
  return server === undefined
    ? unknownServer(servers, name)
    : `The MCP server ${JSON.stringify(name)} has no tool ${JSON.stringify(tool)}: expected one of ${quoted(server.listing.tools.map((each) => each.name))}.`;
}

export const unknownServer = (servers: readonly McpServer[], name: string): string =>
  `There is no MCP server ${JSON.stringify(name)}: expected one of ${quoted(servers.map((each) => each.name))}.`;

/** The tool that lists and reads resources of a server. */
export function mcpResource({ servers }: McpDirectory): Tool {
  return {
    ...defineTool({
      name: "access_mcp_resource",
      displayName: "Read a resource of an MCP server",
      group: "mcp",
      description: "Reads a resource of an MCP server. Without a uri, lists the resources of the server.",
      inputSchema: z.object({
        server_name: SERVER_NAME,
        uri: z.string().min(1).nullish().describe("The URI of the resource."),
      }),
      effect: "reads",
      ask: "use_mcp_server",
      describe: ({ server_name: serverName, uri }) => ({
        text: boundedDescriptor({ type: "access_mcp_resource", serverName, ...(uri != null && { uri }) }),
        paths: [],
        mcp: { server: serverName, tool: "access_mcp_resource" },
      }),
      execute: async ({ server_name, uri }, { signal }) => {
        const server = servers.find(({ name }) => name === server_name);
        if (server === undefined) throw new ToolError("NOT_FOUND", unknownServer(servers, server_name));
        return server.use(signal, (connection) =>
          uri == null ? connection.listResources({ signal }) : connection.readResource(uri, { signal }),
        );
      },
    }),
    // Nothing runs beside it: its message is shown before the next one.
    showsResult: true,
  };
}
