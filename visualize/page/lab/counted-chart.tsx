import { useMemo, useState } from "react";
import type { Verification } from "../../../wire/http/verification.ts";
import type { Chart } from "../../chart/chart.ts";
import { ancestry } from "../model/edge-paths.ts";
import { count } from "../model/format.ts";
import { hasSixStates } from "../model/state-graph.ts";
import type { VisitCounts } from "../model/visit-counts.ts";
import { StateOverview } from "../panes/chart/state-overview.tsx";

interface CountedChartProps {
  readonly verification: Verification;
  readonly chart: Chart;
  readonly selected: string | undefined;
  readonly onSelect: (path: string | undefined) => void;
}

/** The six states with the numbers of explored states and taken transitions, or with the counts of recorded tasks. */
export function CountedChart({ verification, chart, selected, onSelect }: CountedChartProps) {
  const { recorded } = verification;
  const [isRecorded, setRecorded] = useState(false);
  const explored = useMemo(() => exploredVisits(verification), [verification]);
  const seen = useMemo(() => recorded && visitsOf(recorded.states, recorded.edges), [recorded]);
  if (!hasSixStates(chart)) return null;
  const shown = isRecorded ? seen : undefined;
  const [one, several] = shown === undefined ? ["state", "states"] : ["entry", "entries"];
  return (
    <section className="sb-lab-chart" aria-label="Chart of the counts">
      {recorded !== undefined && (
        <fieldset>
          <legend className="sb-dim">Counts of</legend>
          <button type="button" aria-pressed={!isRecorded} onClick={() => setRecorded(false)}>
            explorations
          </button>
          <button type="button" aria-pressed={isRecorded} onClick={() => setRecorded(true)}>
            recorded tasks
          </button>
        </fieldset>
      )}
      <p className="sb-dim">
        {shown === undefined
          ? "A box has its number of explored states, an arrow the number of times that it was taken."
          : "A box has its number of entries, an arrow the number of times that it was taken. A thin arrow was never taken."}
      </p>
      <StateOverview
        chart={chart}
        visits={shown ?? explored}
        path=""
        at={0}
        selected={selected}
        showsPossible={shown !== undefined}
        sumText={({ entries }) => `${count(entries)} ${entries === 1 ? one : several}`}
        onSelect={onSelect}
      />
    </section>
  );
}

function exploredVisits({ states, transitions }: Verification): VisitCounts {
  const entries = new Map<string, number>();
  for (const [path, explored] of Object.entries(states))
    for (const each of ancestry(path)) add(entries, each, explored);
  const edges = new Map<string, number>();
  for (const { source, target, explored } of transitions) add(edges, `${source} -> ${target}`, explored);
  return visitsOf(Object.fromEntries(entries), Object.fromEntries(edges));
}

/** Counts of states and edges as the chart draws them. The share of a state is its share of all counted states. */
function visitsOf(
  states: Readonly<Record<string, number>>,
  edges: Readonly<Record<string, number>>,
): VisitCounts {
  const entries = new Map(Object.entries(states));
  const rows = new Map(
    Object.entries(edges)
      .filter(([, times]) => times > 0)
      .map(([edge, times]) => [{ edge, rows: [] }, times] as const),
  );
  return { entries, times: entries, rows, inferred: new Map(), lastAt: new Map(), last: [] };
}

function add(sums: Map<string, number>, key: string, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}
