import { escapeXml } from "../../../visualize/chart/xml.ts";
import type { SuiteTables } from "./suite-report.ts";

/** Format a report as one HTML file, without scripts and without requests. */
export const formatReportPage = ({
  tables,
  plots,
  notes,
  columns,
  limits,
}: SuiteTables): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Control report</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Control report</h1>
<p><strong>${escapeXml(limits)}</strong></p>
${notes.map((note) => `<p>${escapeXml(note)}</p>\n`).join("")}${tables.map(formatHtmlTable).join("")}<p>${escapeXml(columns)}</p>
<div class="plots">
${plots.map(({ svg }) => `<figure>\n${svg}</figure>\n`).join("")}</div>
</main>
</body>
</html>
`;

const formatHtmlTable = ({ title, heads, rows }: SuiteTables["tables"][number]): string => `<div class="wide">
<table>
<caption>${escapeXml(title)}</caption>
<thead><tr>${heads.map((head) => `<th scope="col">${escapeXml(head)}</th>`).join("")}</tr></thead>
<tbody>
${rows.map(formatHtmlRow).join("")}</tbody>
</table>
</div>
`;

const formatHtmlRow = ([name = "", ...cells]: readonly string[]): string =>
  `<tr><th scope="row">${escapeXml(name)}</th>${cells.map((cell) => `<td>${escapeXml(cell)}</td>`).join("")}</tr>\n`;

const STYLE = `
:root { color-scheme: light dark; --plot-ink: CanvasText; --plot-paper: Canvas; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: CanvasText; background: Canvas; }
main { max-width: 90rem; margin: 0 auto; padding: 1rem; }
p { max-width: 60rem; overflow-wrap: anywhere; }
.wide { overflow-x: auto; margin: 1.5rem 0; }
.plots { display: flex; flex-wrap: wrap; gap: 1.5rem; }
figure { margin: 0; max-width: 100%; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
caption { text-align: start; font-weight: 600; padding: 0.25rem 0.5rem; }
th, td { padding: 0.25rem 0.5rem; text-align: end; white-space: nowrap; }
th:first-child { text-align: start; white-space: normal; overflow-wrap: anywhere; min-width: 12rem; }
thead th, tbody tr { border-bottom: 1px solid color-mix(in srgb, CanvasText 20%, transparent); }
`;
