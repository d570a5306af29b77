import { taskMachine } from "../../machines/task/index.ts";
import { mermaid, transitionTable } from "../../visualize/index.ts";

export interface DiagramFlags {
  readonly format: "mermaid" | "table";
  readonly full?: boolean;
}

/** The task machine as text, drawn from the machine object. */
export function diagram({ format, full = false }: DiagramFlags): string {
  const text = format === "table" ? transitionTable(taskMachine) : mermaid(taskMachine, { full });
  return text.endsWith("\n") ? text : `${text}\n`;
}
