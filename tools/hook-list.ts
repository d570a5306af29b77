import { ToolError } from "./error.ts";
import { HOOK_POINTS, type Hook } from "./hook.ts";
import { EXPECTED_MCP, findsTool, parseMcpPattern } from "./policy/mcp-pattern.ts";
import type { McpTool } from "./tool.ts";

/** The name of a hook: printable, without spaces around it. */
const NAME = /^[^\p{C}]{1,100}$/u;
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A call, as the tools of a hook name it. */
export interface NamedCall {
  /** The canonical name of the tool, and its aliases. */
  readonly names: readonly string[];
  readonly mcp?: McpTool | undefined;
}

/** Whether a hook sees a call, ignoring case. */
export function hooksCall({ tools }: Pick<Hook, "tools">, { names, mcp }: NamedCall): boolean {
  if (tools === undefined) return true;
  return tools.some((text) => {
    const pattern = mcpPatternIn(text);
    if (pattern !== undefined) return mcp !== undefined && findsTool(pattern, mcp);
    return names.some((name) => name.toLowerCase() === text.toLowerCase());
  });
}

const mcpPatternIn = (text: string) => parseMcpPattern(/^mcp\((.*)\)$/s.exec(text)?.[1] ?? "");

/** The error of a tool that a hook names; undefined for a valid one. */
export const hookToolError = (text: string): string | undefined =>
  TOOL_NAME.test(text) || mcpPatternIn(text) !== undefined
    ? undefined
    : `expected the name of a tool, or mcp(SERVER/TOOL) with ${EXPECTED_MCP}`;

/** The error of a hook's name; undefined for a valid one. */
export const hookNameError = (name: string): string | undefined =>
  NAME.test(name) && name.trim() === name
    ? undefined
    : "expected 1 to 100 printable characters, without spaces around them";

/** @throws ToolError `HOOK_INVALID` for an invalid hook, or two with one name */
export function assertHooks(hooks: readonly Hook[]): void {
  const names = new Set<string>();
  for (const hook of hooks) {
    const error = names.has(hook.name) ? "expected a unique name" : errorOf(hook);
    names.add(hook.name);
    if (error !== undefined)
      throw new ToolError(
        "HOOK_INVALID",
        `The hook ${JSON.stringify(hook.name)?.slice(0, 200)} is invalid: ${error}. Correct it.`,
      );
  }
}

/** The members that a hook may have. */
const MEMBERS: readonly string[] = [
  ...HOOK_POINTS,
  ...(["name", "tools", "timeoutMs", "keepOriginal"] satisfies (keyof Hook)[]),
];

function errorOf(hook: Hook): string | undefined {
  const { name, tools = [], timeoutMs = 1 } = hook;
  const nameError = typeof name === "string" ? hookNameError(name) : "expected a name";
  if (nameError !== undefined) return nameError;
  const points = HOOK_POINTS.filter((point) => hook[point] !== undefined);
  if (points.length === 0) return `expected a method for at least one of ${HOOK_POINTS.join(", ")}`;
  const other = points.find((point) => typeof hook[point] !== "function");
  if (other !== undefined) return `${other}: expected a function`;
  // A misspelled method would never be called.
  const unknown = Object.keys(hook).find((key) => !MEMBERS.includes(key));
  if (unknown !== undefined)
    return `expected no member ${unknown}: the methods are ${HOOK_POINTS.join(", ")}`;
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31)) return "timeoutMs: expected 1 to 2,147,483,647 milliseconds";
  const wrong = tools.find((tool) => hookToolError(tool) !== undefined);
  return wrong === undefined ? undefined : `tools: ${hookToolError(wrong)}`;
}
