import * as Plot from "@observablehq/plot";
import { DOMImplementation, Element, XMLSerializer } from "@xmldom/xmldom";

const NAMESPACE = "http://www.w3.org/2000/svg";

const STYLE = "color: var(--plot-ink, black); background: var(--plot-paper, white)";

export interface PlotSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Draw a plot as SVG text. Equal options give equal text.
 *
 * A page can set the colors with the custom properties `--plot-ink` and `--plot-paper`. Default: black on white.
 */
export function drawSvg(label: string, options: Plot.PlotOptions): string {
  const document = new DOMImplementation().createDocument(NAMESPACE, "svg");
  const svg: unknown = Plot.plot({ ...options, document, ariaLabel: label });
  if (!(svg instanceof Element))
    throw new TypeError("Expected a plot without a legend of its own, got none.");
  svg.setAttribute("role", "img");
  svg.setAttribute("style", STYLE);
  return `${new XMLSerializer().serializeToString(svg)}\n`;
}
