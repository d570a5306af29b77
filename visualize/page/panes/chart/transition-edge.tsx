import { type Edge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import type { ChartEdge, ChartPoint } from "../../../chart/chart.ts";
import { roundedPath } from "../../../chart/rounded-path.ts";

/** The label of an edge and the center of its box. */
export interface EdgeLabel {
  readonly lines: readonly string[];
  readonly place: ChartPoint;
}

export interface TransitionData extends Record<string, unknown> {
  readonly edge: ChartEdge;
  readonly points: readonly ChartPoint[];
  readonly label: EdgeLabel;
  /** How often it was taken. */
  readonly taken: number;
  /** The current event, if it took this edge: a change restarts the animation. */
  readonly last: number | undefined;
  /** Whether it starts or ends at the selected state. */
  readonly isNear: boolean;
  readonly isLabelled: boolean;
}

export type TransitionEdgeType = Edge<TransitionData, "transition">;

const HEADS = { "is-last": "last", "is-near": "taken", "is-taken": "taken", "": "plain" } as const;

/** An edge along its route. */
export const TransitionEdge = memo(function TransitionEdge({
  data,
  selected,
}: EdgeProps<TransitionEdgeType>) {
  if (data === undefined) return null;
  const { points, taken, last, isNear, label, isLabelled } = data;
  const path = roundedPath(points);
  const isShown = isNear || selected === true;
  const isMarked = last !== undefined || isShown || isLabelled;
  const kind = last !== undefined ? "is-last" : isShown ? "is-near" : taken > 0 ? "is-taken" : "";
  return (
    <>
      <path className={`sb-edge ${kind}`} d={path} markerEnd={`url(#sb-head-${HEADS[kind]})`} />
      <path className="sb-edge-hit-area" d={path} />
      {last !== undefined && (
        <circle key={last} className="sb-edge-dot" r="4.5" style={{ offsetPath: `path("${path}")` }} />
      )}
      {isMarked && (
        <EdgeLabelRenderer>
          <div
            className={`sb-edge-label ${kind}`}
            style={{ transform: `translate(-50%, -50%) translate(${label.place.x}px, ${label.place.y}px)` }}
          >
            {label.lines.map((line) => (
              <span key={line}>{line}</span>
            ))}
            {taken > 0 && <b title={`taken ${taken} times`}>×{taken}</b>}
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
