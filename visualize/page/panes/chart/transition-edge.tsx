import { type Edge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import type { ChartEdge, ChartPoint } from "../../../chart/chart.ts";
import { roundedPath } from "../../../chart/rounded-path.ts";
import type { LabelLine } from "../../model/edge-label.ts";

/** The lines of an edge's label and the center of its box. */
export interface EdgeLabel {
  readonly lines: readonly LabelLine[];
  readonly place: ChartPoint;
}

export interface TransitionData extends Record<string, unknown> {
  readonly edge: ChartEdge;
  readonly points: readonly ChartPoint[];
  /** Undefined: it needs no label. */
  readonly label: EdgeLabel | undefined;
  /** All its rows, the taken ones with their counts. */
  readonly title: string;
  readonly isTaken: boolean;
  /** The current event, if it took this edge: a change restarts the animation. */
  readonly last: number | undefined;
  /** Whether it starts or ends at the selected state, or the pointer is on it. */
  readonly isNear: boolean;
}

export type TransitionEdgeType = Edge<TransitionData, "transition">;

const HEADS = { "is-last": "last", "is-near": "taken", "is-taken": "taken", "": "plain" } as const;

/** An edge along its route. */
export const TransitionEdge = memo(function TransitionEdge({
  data,
  selected,
}: EdgeProps<TransitionEdgeType>) {
  if (data === undefined) return null;
  const { points, isTaken, last, isNear, label, title } = data;
  const path = roundedPath(points);
  const isShown = isNear || selected === true;
  const kind = last !== undefined ? "is-last" : isShown ? "is-near" : isTaken ? "is-taken" : "";
  return (
    <>
      <path className={`sb-edge ${kind}`} d={path} markerEnd={`url(#sb-head-${HEADS[kind]})`} />
      <path className="sb-edge-hit-area" d={path}>
        <title>{title}</title>
      </path>
      {last !== undefined && (
        <circle key={last} className="sb-edge-dot" r="4.5" style={{ offsetPath: `path("${path}")` }} />
      )}
      {label !== undefined && (
        <EdgeLabelRenderer>
          <div
            className={`sb-edge-label ${kind}`}
            title={title}
            style={{ transform: `translate(-50%, -50%) translate(${label.place.x}px, ${label.place.y}px)` }}
          >
            {label.lines.map(({ text, times }) => (
              <span key={text} className={times === 0 ? "is-possible" : ""}>
                {text}
                {times > 0 && <b> ×{times}</b>}
              </span>
            ))}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});

/** The arrowheads of the edges. */
export function ArrowHeads() {
  return (
    <svg className="sb-heads" aria-hidden="true">
      <defs>
        {["plain", "taken", "last"].map((kind) => (
          <marker
            key={kind}
            id={`sb-head-${kind}`}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            markerUnits="userSpaceOnUse"
            orient="auto-start-reverse"
          >
            <path className={`sb-head-${kind}`} d="M0 .8 L7.4 4 L0 7.2 Z" />
          </marker>
        ))}
      </defs>
    </svg>
  );
}
