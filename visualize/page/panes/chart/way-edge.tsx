import { type Edge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import type { ChartBox, ChartEdge, ChartPoint } from "../../../chart/index.ts";
import { middleOf, pathOf } from "./way.ts";

export interface WayData extends Record<string, unknown> {
  readonly edge: ChartEdge;
  readonly points: readonly ChartPoint[];
  /** Where the layout has made room for its label. */
  readonly label: ChartBox | undefined;
  readonly lines: readonly string[];
  /** How often it was gone along. */
  readonly taken: number;
  /** Whether the present event went along it; its place makes the mark run anew. */
  readonly last: number | undefined;
  /** Whether it starts or ends at the selected state. */
  readonly isNear: boolean;
  readonly isLabelled: boolean;
}

export type WayEdgeType = Edge<WayData, "way">;

const HEADS = { "is-last": "last", "is-near": "taken", "is-taken": "taken", "": "plain" } as const;

const labelPlace = ({ label, points }: WayData): ChartPoint =>
  label === undefined ? middleOf(points) : { x: label.x + label.width / 2, y: label.y + label.height / 2 };

/** An arrow along the points of its layout. */
export const WayEdge = memo(function WayEdge({ data, selected }: EdgeProps<WayEdgeType>) {
  if (data === undefined) return null;
  const { points, taken, last, isNear, lines, isLabelled } = data;
  const path = pathOf(points);
  const isShown = isNear || selected === true;
  const isMarked = last !== undefined || isShown || (isLabelled && data.label !== undefined);
  const middle = labelPlace(data);
  const kind = last !== undefined ? "is-last" : isShown ? "is-near" : taken > 0 ? "is-taken" : "";
  return (
    <>
      <path className={`sb-way ${kind}`} d={path} markerEnd={`url(#sb-head-${HEADS[kind]})`} />
      <path className="sb-way-reach" d={path} />
      {last !== undefined && (
        <circle key={last} className="sb-runner" r="4.5" style={{ offsetPath: `path("${path}")` }} />
      )}
      {isMarked && (
        <EdgeLabelRenderer>
          <div
            className={`sb-way-label ${kind}`}
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

/** The heads of the arrows. */
export function WayHeads() {
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
