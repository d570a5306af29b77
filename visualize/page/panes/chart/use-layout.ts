import { useEffect, useState } from "react";
import type { Chart, ChartLayout } from "../../../chart/chart.ts";
import { loadPart } from "../../load-part.ts";
import { errorText } from "../../model/format.ts";

/** Layouts by chart, because they take a moment to compute. */
const layouts = new WeakMap<Chart, Promise<ChartLayout>>();

/** The layout engine is larger than the rest of the page: it is loaded for the first chart that has no layout. */
function computed(chart: Chart): Promise<ChartLayout> {
  const known =
    layouts.get(chart) ??
    loadPart(() => import("../../layout-engine.ts")).then((engine) => engine.layoutOf(chart));
  layouts.set(chart, known);
  return known;
}

/** The layout of a chart: the given one, or one that the page computes. An error message if that fails. */
export function useLayout(chart: Chart, given: ChartLayout | undefined): ChartLayout | string | undefined {
  const [found, setFound] = useState<ChartLayout | string | undefined>(undefined);
  useEffect(() => {
    if (given !== undefined) return;
    let isMounted = true;
    computed(chart).then(
      (layout) => isMounted && setFound(layout),
      (error: unknown) => isMounted && setFound(`The chart can't be laid out: ${errorText(error)}`),
    );
    return () => {
      isMounted = false;
    };
  }, [chart, given]);
  return given ?? found;
}
