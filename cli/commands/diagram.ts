import { Option } from "commander";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { chartOf } from "../../visualize/chart/chart-of.ts";
import { layoutOf } from "../../visualize/chart/layout.ts";
import { type SvgTheme, svgOf } from "../../visualize/chart/svg.ts";
import { mermaid } from "../../visualize/mermaid.ts";
import { transitionTable } from "../../visualize/trace/transitions/transition-table.ts";
import type { Define } from "./command.ts";

interface DiagramFlags {
  readonly format: "mermaid" | "svg" | "table" | "json";
  readonly full?: boolean;
  /** The theme of an svg. Default `auto`. */
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
