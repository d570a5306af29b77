import { useMemo, useState } from "react";
import { topState } from "../../../../machines/message/states.ts";
import type { ChartLayout } from "../../../chart/chart.ts";
import { count } from "../../model/format.ts";
import { isWithin } from "../../model/state.ts";
import { shortened } from "../../text/printable.ts";
import type { DrawingProps } from "./chart-props.ts";
import { visitText } from "./count-text.ts";
import { wireOf } from "./edge-wires.ts";
import { classesOf, placeOf } from "./state-overview.tsx";
import { useLayout } from "./use-layout.ts";
import { Wires } from "./wires.tsx";

interface MachineChartProps extends DrawingProps {
  /** Absent: the page computes it. */
  readonly layout: ChartLayout | undefined;
}

/** The chart of any machine: all its states, compound ones as frames around theirs. */
export function MachineChart({ layout: given, ...props }: MachineChartProps) {
  const layout = useLayout(props.chart, given);
  if (typeof layout === "object") return <PlacedChart {...props} layout={layout} />;
  return <p className="sb-placeholder">{layout ?? "Loading the layout of the chart …"}</p>;
}

function PlacedChart({ layout, ...props }: DrawingProps & { readonly layout: ChartLayout }) {
  const { chart, visits, path, at, selected, showsPossible, onSelect } = props;
  const [hovered, setHovered] = useState<string | undefined>(undefined);
  const wires = useMemo(
    () =>
      chart.edges.flatMap((edge) => {
        const points = layout.edges[edge.id]?.points;
        const isNear = edge.source === hovered || edge.source === selected;
        const drawn = points && { id: edge.id, edges: [edge], points };
        return (drawn && wireOf(drawn, visits, { isNear, showsPossible })) ?? [];
      }),
    [chart, layout, visits, hovered, selected, showsPossible],
  );
  const compounds = useMemo(() => new Set(chart.states.map(({ parent }) => parent)), [chart]);
  return (
    <div className="sb-drawing" style={{ minHeight: layout.height }}>
      <div className="sb-drawn" style={{ width: layout.width, height: layout.height }}>
        {chart.states.map((state) => {
          const box = layout.states[state.path];
          if (box === undefined) return null;
          const entries = visits.entries.get(state.path) ?? 0;
          const classes = {
            "sb-state": true,
            "sb-compound": compounds.has(state.path),
            "is-active": isWithin(path, state.path),
            "is-seen": entries > 0,
            "is-open": selected === state.path,
          };
          return (
            <button
              key={state.path}
              type="button"
              className={classesOf(classes)}
              data-state={topState(state.path)}
              data-path={state.path}
              aria-pressed={selected === state.path}
              title={`${state.path}: ${visitText(entries, visits.times.get(state.path) ?? 0)}`}
              style={placeOf(box)}
              onClick={() => onSelect(selected === state.path ? undefined : state.path)}
              onPointerEnter={() => setHovered(state.path)}
              onPointerLeave={() => setHovered(undefined)}
            >
              <span className="sb-state-name">{shortened(state.name, 60)}</span>
              {entries > 0 && <span className="sb-state-sum">×{count(entries)}</span>}
            </button>
          );
        })}
        <Wires width={layout.width} height={layout.height} wires={wires} at={at} />
      </div>
    </div>
  );
}
