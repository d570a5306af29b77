import { memoize } from "../machines/conversation/memoize.ts";
import { createModes, type Modes } from "../tools/modes/modes.ts";
import { validateToolUse } from "../tools/modes/validate-tool-use.ts";
import type { Tool } from "../tools/tool.ts";
import type { Requires } from "./environment.ts";

const BUILTIN = createModes();

export const modesOf = ({ modes = BUILTIN }: Requires<"modes">): Modes => modes;

export const isPermitted = (modes: Modes, mode: string, tool: Pick<Tool, "name" | "group">): boolean =>
  validateToolUse({ modes, mode, tool }) === undefined;

/** The tools that a mode permits: one list for all tasks with the same modes, tools and mode. */
export const permittedTools = memoize((modes: Modes) =>
  memoize((tools: readonly Tool[]) => {
    const byMode = new Map<string, readonly Tool[]>();
    return (mode: string): readonly Tool[] => {
      const known = byMode.get(mode) ?? tools.filter((tool) => isPermitted(modes, mode, tool));
      // An unknown mode of an older journal is not kept.
      if (modes.find(mode) !== undefined) byMode.set(mode, known);
      return known;
    };
  }),
);
