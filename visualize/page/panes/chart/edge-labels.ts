import type { ChartEdge } from "../../../chart/chart.ts";
import { type LabelLine, labelLines } from "../../model/edge-label.ts";
import { labelPlace } from "../../model/label-place.ts";
import type { RowCount } from "../../model/visit-counts.ts";
import type { ChartView } from "./chart-view.ts";
import type { EdgeLabel } from "./transition-edge.tsx";

/** The labels of a chart's edges. The same lines of an edge are the same object, so that it is not rendered again. */
export class EdgeLabels {
  readonly view: ChartView;
  /** The newest label of each edge, by the edge's id. */
  readonly #known = new Map<string, { readonly key: string; readonly label: EdgeLabel }>();

  constructor(view: ChartView) {
    this.view = view;
  }

  /** The label of an edge with these lines: where the layout has it, or beside its route. */
  of(edge: ChartEdge, lines: readonly LabelLine[]): EdgeLabel {
    const texts = lines.map(({ text, times }) => (times === 0 ? text : `${text} ×${times}`));
    const key = texts.join("\n");
    const known = this.#known.get(edge.id);
    if (known?.key === key) return known.label;
    const label = { lines, place: this.#place(edge, texts) };
    this.#known.set(edge.id, { key, label });
    return label;
  }

  /**
   * The label of an edge that nobody points at: the rows that the current event took; if all edges have labels, all
   * taken rows, or the text of the layout. Undefined: it needs none.
   */
  atRest(
    edge: ChartEdge,
    taken: readonly RowCount[],
    last: readonly RowCount[] | undefined,
  ): EdgeLabel | undefined {
    if (last !== undefined) return this.of(edge, labelLines(edge, last, false));
    const text = this.view.isLabelled ? this.view.layout.edges[edge.id]?.label?.text : undefined;
    if (text === undefined) return undefined;
    return this.of(edge, taken.length > 0 ? labelLines(edge, taken, false) : [{ text, times: 0 }]);
  }

  #place({ id }: ChartEdge, texts: readonly string[]) {
    const { layout, isLabelled } = this.view;
    const { label, points = [] } = layout.edges[id] ?? {};
    if (!isLabelled || label === undefined) return labelPlace(points, texts, layout);
    return { x: label.x + label.width / 2, y: label.y + label.height / 2 };
  }
}
