import { taskMachine } from "../../machines/task/index.ts";
import { transitionTable } from "../../trace/index.ts";
import { chartOf, layoutOf, mermaid, type SvgTheme, svgOf } from "../../visualize/index.ts";

export interface DiagramFlags {
  readonly format: "mermaid" | "svg" | "table" | "json";
  readonly full?: boolean;
  /** Of an svg. Default `auto`. */
  readonly theme?: SvgTheme;
}

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
