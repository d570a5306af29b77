import { CHART_TEXT } from "./measure.ts";

export type SvgTheme = "auto" | "light" | "dark";

const LIGHT =
  "--paper:#ffffff;--holder:#f5f7fa;--holder-line:#c5cdd8;--state:#ffffff;--state-line:#4a6fa5;--ink:#1c2430;--label:#39475a;--edge:#8594a8;--strong:#2f5d9b";
const DARK =
  "--paper:#11151c;--holder:#181e28;--holder-line:#364152;--state:#212a38;--state-line:#6f9bd8;--ink:#e8edf5;--label:#b9c5d6;--edge:#6c7b92;--strong:#9cc2ff";

const RULES = [
  ".paper{fill:var(--paper)}",
  ".state rect{fill:var(--state);stroke:var(--state-line);stroke-width:1.4}",
  ".holder>rect{fill:var(--holder);stroke:var(--holder-line);stroke-width:1.2}",
  `.name{font:600 ${CHART_TEXT.name}px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:var(--ink)}`,
  ".inner{text-anchor:middle}",
  ".edge{fill:none;stroke:var(--edge);stroke-width:1.3}",
  ".reach{fill:none;stroke:transparent;stroke-width:10}",
  ".head,.start{fill:var(--edge)}",
  `.label{font:${CHART_TEXT.label}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;text-anchor:middle;fill:var(--label);stroke:var(--paper);stroke-width:7;stroke-linejoin:round;paint-order:stroke}`,
  ".way:hover .edge{stroke:var(--strong);stroke-width:2.2}",
].join("");

/** The colours stand in custom properties, so that whoever shows it within a page can set others. */
export function styleOf(theme: SvgTheme): string {
  if (theme === "light") return `svg{${LIGHT}}${RULES}`;
  if (theme === "dark") return `svg{${DARK}}${RULES}`;
  return `svg{${LIGHT}}@media(prefers-color-scheme:dark){svg{${DARK}}}${RULES}`;
}
