import type { McpTool } from "../tool.ts";

/** Tools of MCP servers that a rule matches. `*` is every server, or every tool. */
export interface McpPattern {
  readonly server: string;
  readonly tool: string;
}

export const EXPECTED_MCP =
  "the name of an MCP server, `/`, and the name of its tool; `*` for every server or every tool, and no other patterns";

/** Undefined for text that is not a pattern. The name of a tool may contain `/`, the name of a server not. */
export function parseMcpPattern(text: string): McpPattern | undefined {
  const [, server = "", tool = ""] = /^([^/]+)\/(.+)$/s.exec(text.trim()) ?? [];
  return [server, tool].every(isName) ? { server, tool } : undefined;
}

const isName = (name: string): boolean =>
  name === "*" || (/^[^*\p{C}]{1,128}$/u.test(name) && name === name.trim());

/** Whether the pattern matches a tool exactly. */
export const coversTool = (pattern: McpPattern, { server, tool }: McpTool): boolean =>
  isOneOf(pattern.server, server) && isOneOf(pattern.tool, tool);

/** Whether the pattern matches a tool, ignoring case. */
export const findsTool = ({ server, tool }: McpPattern, actual: McpTool): boolean =>
  isOneOf(fold(server), fold(actual.server)) && isOneOf(fold(tool), fold(actual.tool));

const isOneOf = (pattern: string, name: string): boolean => pattern === "*" || pattern === name;

const fold = (name: string): string => name.normalize("NFC").toLowerCase();
