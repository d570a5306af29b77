import { z } from "zod";
import { builtinTools, defineTool, type Tool } from "../../../tools/index.ts";

/** Built-in tools whose calls a person or a subtask answers, or that touch nothing. */
const BUILTIN = new Set(["ask_followup_question", "attempt_completion", "new_task", "update_todo_list"]);

const path = z.string().max(2_000);

/** Tools of each effect that do no I/O. */
export const TOOLS: readonly Tool[] = [
  ...builtinTools().filter(({ name }) => BUILTIN.has(name)),
  defineTool({
    name: "look",
    aliases: ["view"],
    description: "Looks at a file.",
    inputSchema: z.object({ path }),
    effect: "reads",
    partial: ({ path: name }) => (typeof name === "string" ? `Looks at ${name}` : undefined),
    execute: (input) => `The content of ${input.path}.`,
  }),
  defineTool({
    name: "change",
    description: "Changes a file.",
    inputSchema: z.object({ path, text: z.string() }),
    effect: "writes",
    execute: (input) => `Changed ${input.path}.`,
  }),
  defineTool({
    name: "run",
    description: "Runs a command.",
    inputSchema: z.object({ command: path }),
    effect: "executes",
    ask: "command",
    execute: (input) => {
      if (input.command.length % 3 === 0) throw new Error(`exit code 1 of ${input.command}`);
      return "";
    },
  }),
  defineTool({
    name: "wait",
    description: "Waits.",
    inputSchema: z.object({}),
    effect: "none",
    execute: async () => "Waited.",
  }),
];
