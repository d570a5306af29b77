import { ToolError } from "../error.ts";
import { createRegistry, type Registry } from "../registry.ts";
import type { Tool } from "../tool.ts";

/** The tools of a set that are used. Names may be aliases. */
export interface ToolSelection {
  /** Tools that are added to the standard ones. Default: none. */
  readonly include?: readonly string[] | undefined;
  /** Tools that are left out, also if they are included. Default: none. */
  readonly exclude?: readonly string[] | undefined;
}

/** Tools that can be selected. */
export interface SelectableTools {
  readonly standard: readonly Tool[];
  readonly optional: readonly Tool[];
}

/**
 * The standard tools and the included ones, without the excluded ones.
 *
 * @throws ToolError `NOT_FOUND` for a name that no tool has
 */
export function selectTools(
  { standard, optional }: SelectableTools,
  { include = [], exclude = [] }: ToolSelection,
): readonly Tool[] {
  const registry = createRegistry([...standard, ...optional]);
  const included = new Set(include.map((name) => toolOf(registry, name)));
  const excluded = new Set(exclude.map((name) => toolOf(registry, name)));
  return registry.tools.filter(
    (tool) => !excluded.has(tool) && (included.has(tool) || !optional.includes(tool)),
  );
}

function toolOf(registry: Registry, name: string): Tool {
  const tool = registry.find(name);
  if (tool !== undefined) return tool;
  throw new ToolError(
    "NOT_FOUND",
    `There is no tool '${name.slice(0, 100)}': expected ${expectedTool(registry)}.`,
  );
}

/** The names that a tool may have, for messages. */
export const expectedTool = ({ tools }: Pick<Registry, "tools">): string =>
  `one of ${tools.map(({ name }) => name).join(", ")}`;
