import { CHART_TEXT } from "./text-metrics.ts";

/** The colours of an SVG chart. */
export type SvgTheme = "auto" | "light" | "dark";

const LIGHT =
  "--background:#ffffff;--compound:#f5f7fa;--compound-line:#c5cdd8;--state:#ffffff;--state-line:#4a6fa5;--ink:#1c2430;--label:#39475a;--edge:#8594a8;--strong:#2f5d9b";
const DARK =
  "--background:#11151c;--compound:#181e28;--compound-line:#364152;--state:#212a38;--state-line:#6f9bd8;--ink:#e8edf5;--label:#b9c5d6;--edge:#6c7b92;--strong:#9cc2ff";

const RULES = [
  ".background{fill:var(--background)}",
  ".state rect{fill:var(--state);stroke:var(--state-line);stroke-width:1.4}",
  ".compound>rect{fill:var(--compound);stroke:var(--compound-line);stroke-width:1.2}",
  `.name{font:600 ${CHART_TEXT.name}px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:var(--ink)}`,
  ".inner{text-anchor:middle}",
  ".edge{fill:none;stroke:var(--edge);stroke-width:1.3}",
  ".hit-area{fill:none;stroke:transparent;stroke-width:10}",
  ".arrowhead,.start{fill:var(--edge)}",
  `.label{font:${CHART_TEXT.label}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;text-anchor:middle;fill:var(--label);stroke:var(--background);stroke-width:7;stroke-linejoin:round;paint-order:stroke}`,
  ".transition:hover .edge{stroke:var(--strong);stroke-width:2.2}",
].join("");

/** The style of a theme. Colours are custom properties, so that an embedding page can override them. */
export function styleOf(theme: SvgTheme): string {
  if (theme === "light") return `svg{${LIGHT}}${RULES}`;
  if (theme === "dark") return `svg{${DARK}}${RULES}`;
  return `svg{${LIGHT}}@media(prefers-color-scheme:dark){svg{${DARK}}}${RULES}`;
}
