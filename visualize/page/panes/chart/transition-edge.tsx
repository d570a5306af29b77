import { type Edge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import { type ChartBox, type ChartEdge, type ChartPoint, roundedPath } from "../../../chart/index.ts";

export interface TransitionData extends Record<string, unknown> {
  readonly edge: ChartEdge;
  readonly points: readonly ChartPoint[];
  /** The label's box in the layout, if it has one. */
  readonly label: ChartBox | undefined;
  readonly lines: readonly string[];
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

/** The middle of the longest segment of a route, where a label fits best. */
function longestSegmentMiddle(points: readonly ChartPoint[]): ChartPoint {
  let best = { length: -1, x: 0, y: 0 };
  for (const [index, to] of points.entries()) {
    const from = points[index - 1];
    if (from === undefined) continue;
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    if (length > best.length) best = { length, x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  }
  return { x: best.x, y: best.y };
}

const labelPosition = ({ label, points }: TransitionData): ChartPoint =>
  label === undefined
    ? longestSegmentMiddle(points)
    : { x: label.x + label.width / 2, y: label.y + label.height / 2 };

/** An edge along its route. */
export const TransitionEdge = memo(function TransitionEdge({
  data,
  selected,
}: EdgeProps<TransitionEdgeType>) {
  if (data === undefined) return null;
  const { points, taken, last, isNear, lines, isLabelled } = data;
  const path = roundedPath(points);
  const isShown = isNear || selected === true;
  const isMarked = last !== undefined || isShown || (isLabelled && data.label !== undefined);
  const middle = labelPosition(data);
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
            style={{ transform: `translate(-50%, -50%) translate(${middle.x}px, ${middle.y}px)` }}
          >
            {lines.map((line) => (
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
