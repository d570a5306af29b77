import { appendFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { builtinTools, defineTool, type Tool } from "../../tools/index.ts";
import type { PreparedCall } from "../../tools/tool.ts";
import { COUNTER, effectName } from "./scenario.ts";

/** The built-in tools and the tool `count`. Tools that change files first append a line to the counter file. */
export function countedTools(workspace: string): readonly Tool[] {
  const mark = (name: string): void => appendFileSync(path.join(workspace, COUNTER), `${name}\n`);
  const count = defineTool({
    name: "count",
    description: "Counts that it ran.",
    inputSchema: z.object({ key: z.string() }),
    effect: "writes",
    execute: ({ key }) => {
      mark(key);
      return `Counted ${key}.`;
    },
  });
  return [...builtinTools().map((tool) => counted(tool, mark)), count];
}

/** The tool, counting its effects. A command appends its line itself. */
function counted(tool: Tool, mark: (name: string) => void): Tool {
  if (tool.name === "execute_command") return tool;
  return {
    ...tool,
    prepare(input) {
      const prepared = tool.prepare(input);
      const name = effectName(tool.name, input);
      if (!prepared.ok || name === undefined) return prepared;
      const { call } = prepared;
      const { amend } = call;
      const run =
        (counted: Pick<PreparedCall, "execute">): PreparedCall["execute"] =>
        (ports) => {
          mark(name);
          return counted.execute(ports);
        };
      return {
        ok: true,
        call: {
          describe: (ports) => call.describe(ports),
          execute: run(call),
          ...(amend !== undefined && {
            amend: (amendment) => {
              const amended = amend(amendment);
              return amended.ok
                ? { ok: true, call: { ...amended.call, execute: run(amended.call) } }
                : amended;
            },
          }),
        },
      };
    },
  };
}
