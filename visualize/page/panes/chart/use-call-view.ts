import { useEffect, useMemo, useState } from "react";
import { callMachine } from "../../../../machines/tool-call/call.machine.ts";
import { chartOf } from "../../../chart/chart-of.ts";
import { denseLayoutOf } from "../../../chart/layout.ts";
import { EdgePaths } from "../../model/edge-paths.ts";
import type { ChartView } from "./chart-view.ts";

/** The chart of a tool call. It is the same for all calls, and laid out once. */
let loading: Promise<ChartView> | undefined;

async function loadCallView(): Promise<ChartView> {
  const chart = chartOf(callMachine);
  const layout = await denseLayoutOf(chart);
  return { chart, layout, isLabelled: false, edgePaths: new EdgePaths(chart) };
}

/** The chart of a tool call, once it is wanted and laid out. */
export function useCallView(isWanted: boolean, isLabelled: boolean): ChartView | undefined {
  const [view, setView] = useState<ChartView | undefined>(undefined);
  useEffect(() => {
    if (!isWanted) return;
    loading ??= loadCallView();
    loading.then(setView, () => setView(undefined));
  }, [isWanted]);
  return useMemo(() => view && { ...view, isLabelled }, [view, isLabelled]);
}
