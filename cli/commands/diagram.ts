import { Option } from "commander";
import { taskMachine } from "../../machines/task/index.ts";
import { transitionTable } from "../../trace/index.ts";
import { chartOf, layoutOf, mermaid, type SvgTheme, svgOf } from "../../visualize/index.ts";
import type { Define } from "./command.ts";

interface DiagramFlags {
  readonly format: "mermaid" | "svg" | "table" | "json";
  readonly full?: boolean;
  /** Of an svg. Default `auto`. */
  readonly theme?: SvgTheme;
}

export const define: Define = (command, { print }) => {
  command
    .addOption(
      new Option("--format <format>", "a diagram, the transition table, or the diagram's parts and layout")
        .choices(["mermaid", "svg", "table", "json"])
        .default("mermaid"),
    )
    .option("--full", "include nested states in mermaid (the other formats always do)")
    .addOption(
      new Option("--theme <theme>", "colors of an svg; auto follows the viewer's preference")
        .choices(["auto", "light", "dark"])
        .default("auto"),
    )
    .action(async (flags: DiagramFlags) => print(await diagram(flags)));
};

/** The task machine as text, drawn from the machine object. */
export async function diagram({ format, full = false, theme = "auto" }: DiagramFlags): Promise<string> {
  switch (format) {
    case "mermaid":
      return mermaid(taskMachine, { full });
    case "table":
      return transitionTable(taskMachine);
    case "svg": {
      const chart = chartOf(taskMachine);
      return svgOf(chart, await layoutOf(chart), { theme });
    }
    case "json": {
      const chart = chartOf(taskMachine);
      return `${JSON.stringify({ chart, layout: await layoutOf(chart) })}\n`;
    }
  }
}
