import type { Chart, ChartBox, ChartEdge, ChartLabel, ChartLayout, ChartRoute, ChartState } from "./chart.ts";
import { formatTransitions } from "./label.ts";
import { roundedPath } from "./rounded-path.ts";
import { CHART_TEXT } from "./text-metrics.ts";
import { escapeXml } from "./xml.ts";

/** The colours of an SVG chart. */
export type SvgTheme = "auto" | "light" | "dark";

/** Options of {@link svgOf}. */
export interface SvgOptions {
  /** `auto` follows the viewer's setting. Default `auto`. */
  readonly theme?: SvgTheme;
}

/** Corners of boxes and of edges, in pixels. */
const BOX_RADIUS = 8;
const INITIAL_DOT = 14;

/**
 * A chart as an SVG document: nested states, and edges labelled with their events. Tooltips have guards and actions.
 * The document contains its own style.
 *
 * @example
 * ```ts
 * import { taskMachine } from "signalbox/machines";
 * import { chartOf, layoutOf, svgOf } from "@signalbox/debugger";
 * const chart = chartOf(taskMachine);
 * const svg = svgOf(chart, await layoutOf(chart), { theme: "dark" });
 * console.log(svg.startsWith("<svg ")); // true
 * ```
 */
export function svgOf(chart: Chart, layout: ChartLayout, { theme = "auto" }: SvgOptions = {}): string {
  const { width, height } = layout;
  const parents = new Set(chart.states.map(({ parent }) => parent));
  const drawn = (states: readonly ChartState[], isCompound: boolean): string[] =>
    states
      .filter(({ path }) => parents.has(path) === isCompound)
      .flatMap((state) => ifPlaced(layout.states[state.path], (box) => stateSvg(state, box, isCompound)));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(`The states of ${chart.id}`)}">`,
    `<style>${styleOf(theme)}</style>`,
    `<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="arrowhead" d="M0 0.5 L8 4 L0 7.5 z"/></marker></defs>`,
    `<rect class="background" width="${width}" height="${height}"/>`,
    ...drawn(chart.states, true),
    ...chart.edges.flatMap((edge) => ifPlaced(layout.edges[edge.id], (route) => edgeSvg(edge, route))),
    ...drawn(chart.states, false),
    ...chart.edges.flatMap((edge) =>
      ifPlaced(layout.edges[edge.id]?.label, (label) => labelSvg(edge, label)),
    ),
    "</svg>",
  ].join("\n")}\n`;
}

const ifPlaced = <T>(position: T | undefined, draw: (position: T) => string): string[] =>
  position === undefined ? [] : [draw(position)];

function stateSvg(state: ChartState, { x, y, width, height }: ChartBox, isCompound: boolean): string {
  const middle = x + width / 2;
  const name = isCompound
    ? `<text class="name" x="${x + 16}" y="${y + 24}">${escapeXml(state.name)}</text>`
    : `<text class="name inner" x="${middle}" y="${y + height / 2 + CHART_TEXT.name * 0.35}">${escapeXml(state.name)}</text>`;
  const box = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${isCompound ? BOX_RADIUS + 4 : BOX_RADIUS}"/>`;
  return `<g class="state${isCompound ? " compound" : ""}"><title>${escapeXml(stateText(state))}</title>${box}${name}${state.isInitial ? initialSvg(x, y, isCompound) : ""}</g>`;
}

function stateText({ path, entry, exit, inner }: ChartState): string {
  const own = (when: string, actions: readonly string[]): string[] =>
    actions.length === 0 ? [] : [`${when} / ${actions.join(", ")}`];
  return [path, ...own("entry", entry), ...own("exit", exit), ...inner].join("\n");
}

/** The dot and arrow of an initial state. */
function initialSvg(x: number, y: number, isCompound: boolean): string {
  const at = y + (isCompound ? 20 : 10);
  return `<circle class="start" cx="${x - INITIAL_DOT}" cy="${at}" r="3.5"/><path class="edge" marker-end="url(#arrow)" d="M${x - INITIAL_DOT} ${at} H${x}"/>`;
}

const edgeSvg = (edge: ChartEdge, { points }: ChartRoute): string =>
  `<g class="transition"><title>${escapeXml(edgeText(edge))}</title><path class="hit-area" d="${roundedPath(points)}"/><path class="edge" marker-end="url(#arrow)" d="${roundedPath(points)}"/></g>`;

const labelSvg = (edge: ChartEdge, { x, y, width, text }: ChartLabel): string =>
  `<text class="label" x="${x + width / 2}" y="${y + CHART_TEXT.label}"><title>${escapeXml(edgeText(edge))}</title>${escapeXml(text)}</text>`;

const edgeText = (edge: ChartEdge): string => `${edge.id}\n${formatTransitions(edge)}`;

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
function styleOf(theme: SvgTheme): string {
  if (theme === "light") return `svg{${LIGHT}}${RULES}`;
  if (theme === "dark") return `svg{${DARK}}${RULES}`;
  return `svg{${LIGHT}}@media(prefers-color-scheme:dark){svg{${DARK}}}${RULES}`;
}
