import { ToolError } from "./error.ts";
import type { Tool } from "./tool.ts";

/** The tools of a task, by name and alias. */
export interface Registry {
  /** In their original order. */
  readonly tools: readonly Tool[];
  /** Find a tool by name or alias. */
  find(name: string): Tool | undefined;
}

/**
 * Create a registry of tools.
 *
 * @throws ToolError `DUPLICATE_TOOL` if two tools share a name or an alias
 */
export function createRegistry(tools: readonly Tool[]): Registry {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    for (const name of [tool.name, ...tool.aliases]) {
      const other = byName.get(name);
      if (other !== undefined) {
        throw new ToolError(
          "DUPLICATE_TOOL",
          `Two tools have the name "${name}": ${other.name} and ${tool.name}. Rename or remove one.`,
        );
      }
      byName.set(name, tool);
    }
  }
  return {
    tools: [...tools],
    find: (name) => byName.get(name),
  };
}
