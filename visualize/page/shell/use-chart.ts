import { useEffect, useState } from "react";
import type { Chart, ChartLayout } from "../../chart/chart.ts";
import { denseLayoutOf, layoutOf } from "../../chart/layout.ts";
import { EdgePaths } from "../model/edge-paths.ts";
import type { ChartView } from "../panes/chart/chart-view.ts";
import type { PageSource } from "../source.ts";

type LoadedChart = Awaited<ReturnType<PageSource["chart"]>> & { readonly edgePaths: EdgePaths };

/** The chart of the machine, with labels or without. Undefined until it is laid out; an error message if that fails. */
export function useChart(source: PageSource, isLabelled: boolean): ChartView | string | undefined {
  const [loaded, setLoaded] = useState<LoadedChart | string | undefined>(undefined);
  const [view, setView] = useState<ChartView | string | undefined>(undefined);
  useEffect(() => whileMounted(loadChart(source), setLoaded), [source]);
  useEffect(() => {
    if (loaded === undefined || typeof loaded === "string") return setView(loaded);
    return whileMounted(withLayout(loaded, isLabelled), setView);
  }, [loaded, isLabelled]);
  return view;
}

async function loadChart(source: PageSource): Promise<LoadedChart> {
  const loaded = await source.chart();
  return { ...loaded, edgePaths: new EdgePaths(loaded.chart) };
}

/** Dense layouts by chart, because they take a moment to compute. */
const denseLayouts = new WeakMap<Chart, Promise<ChartLayout>>();

async function withLayout(loaded: LoadedChart, isLabelled: boolean): Promise<ChartView> {
  const { chart, edgePaths } = loaded;
  if (isLabelled) return { chart, layout: loaded.layout ?? (await layoutOf(chart)), edgePaths, isLabelled };
  const dense = denseLayouts.get(chart) ?? denseLayoutOf(chart);
  denseLayouts.set(chart, dense);
  return { chart, layout: await dense, edgePaths, isLabelled };
}

/** Pass on the result of a promise, or its error as text, unless the returned function was called. */
function whileMounted<T>(promise: Promise<T>, onResult: (value: T | string) => void): () => void {
  let isMounted = true;
  promise.then(
    (value) => {
      if (isMounted) onResult(value);
    },
    (error: unknown) => {
      if (isMounted) onResult(`The chart can't be shown: ${String(error)}`);
    },
  );
  return () => {
    isMounted = false;
  };
}
