import { ToolError } from "./error.ts";
import type { Tool } from "./tool.ts";

/** The tools of a task, by name and alias. */
export interface Registry {
  /** In the order they were given. */
  readonly tools: readonly Tool[];
  /** Canonical names, in the same order. */
  readonly names: readonly string[];
  /** The tool of that name or alias. */
  find(name: string): Tool | undefined;
}

/**
 * Tools that can be looked up by name and alias.
 *
 * @throws ToolError `duplicate_tool` where two tools share a name or an alias
 */
export function createRegistry(tools: readonly Tool[]): Registry {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    for (const name of [tool.name, ...tool.aliases]) {
      const other = byName.get(name);
      if (other !== undefined) {
        throw new ToolError(
          "duplicate_tool",
          `Two tools are called "${name}": ${other.name} and ${tool.name}. Rename one, or leave one out.`,
        );
      }
      byName.set(name, tool);
    }
  }
  return { tools: [...tools], names: tools.map((tool) => tool.name), find: (name) => byName.get(name) };
}
