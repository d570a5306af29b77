import { useEffect, useMemo, useState } from "react";
import { EdgePaths } from "../model/edge-paths.ts";
import type { ChartView } from "../panes/chart/chart-view.ts";
import type { PageSource } from "../source.ts";

type LoadedChart = Omit<ChartView, "showsPossible">;

/** The chart of the machine, with all its transitions or the taken ones. Undefined until it is loaded; an error message if that fails. */
export function useChart(source: PageSource, showsPossible: boolean): ChartView | string | undefined {
  const [loaded, setLoaded] = useState<LoadedChart | string | undefined>(undefined);
  useEffect(() => {
    let isMounted = true;
    source.chart().then(
      (given) => isMounted && setLoaded({ ...given, edgePaths: new EdgePaths(given.chart) }),
      (error: unknown) => isMounted && setLoaded(`The chart can't be shown: ${String(error)}`),
    );
    return () => {
      isMounted = false;
    };
  }, [source]);
  return useMemo(
    () => (typeof loaded === "object" ? { ...loaded, showsPossible } : loaded),
    [loaded, showsPossible],
  );
}
