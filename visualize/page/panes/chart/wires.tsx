import { memo } from "react";
import type { ChartPoint } from "../../../chart/chart.ts";
import { roundedPath } from "../../../chart/rounded-path.ts";
import type { Size } from "../../model/state-places.ts";

/** An edge as it is drawn. */
export interface Wire {
  readonly id: string;
  readonly points: readonly ChartPoint[];
  /** `last`: the current event took it. `near`: the user points at it, or at its source. */
  readonly kind: "possible" | "taken" | "near" | "last";
  /** Whether the trace does not record all times that it was taken. */
  readonly isInferred: boolean;
  /** Its rows in words. */
  readonly title: string;
  /** Its count, and the center of the count. */
  readonly label?: { readonly text: string; readonly at: ChartPoint };
}

interface WiresProps extends Size {
  readonly wires: readonly Wire[];
  /** The current event: a change restarts the animation. */
  readonly at: number;
}

/** The edges of a chart, the last taken ones on top, with their counts. */
export const Wires = memo(function Wires({ width, height, wires, at }: WiresProps) {
  const ordered = wires.toSorted((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind));
  return (
    <>
      <svg className="sb-wires" width={width} height={height} aria-hidden="true">
        {ordered.map((wire) => (
          <WirePath key={wire.id} wire={wire} at={at} />
        ))}
      </svg>
      {ordered.map(
        ({ id, kind, label, title }) =>
          label !== undefined && (
            <span
              key={id}
              className={`sb-wire-count is-${kind}`}
              title={title}
              style={{ left: label.at.x, top: label.at.y }}
            >
              {label.text}
            </span>
          ),
      )}
    </>
  );
});

const KINDS: readonly Wire["kind"][] = ["possible", "taken", "near", "last"];

function WirePath({ wire, at }: { readonly wire: Wire; readonly at: number }) {
  const { id, points, kind, isInferred, title } = wire;
  const path = roundedPath(points);
  return (
    <g className={`sb-wire is-${kind}${isInferred ? " is-inferred" : ""}`} data-edge={id}>
      <path className="sb-wire-line" d={path} />
      <path className="sb-wire-head" d={headOf(points)} />
      <path className="sb-wire-hit" d={path}>
        <title>{title}</title>
      </path>
      {kind === "last" && (
        <circle key={at} className="sb-wire-dot" r="4.5" style={{ offsetPath: `path("${path}")` }} />
      )}
    </g>
  );
}

/** The length and half the width of an arrowhead. */
const HEAD = { length: 8, half: 4 } as const;

/** An arrowhead at the end of a route. */
function headOf(points: readonly ChartPoint[]): string {
  const [end, before] = [points.at(-1), points.at(-2)];
  if (end === undefined || before === undefined) return "";
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const [along, aside] = [(end.x - before.x) / length, (end.y - before.y) / length];
  const corner = (side: 1 | -1): string => {
    const x = end.x - HEAD.length * along - side * HEAD.half * aside;
    const y = end.y - HEAD.length * aside + side * HEAD.half * along;
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  return `M${end.x} ${end.y} L${corner(1)} L${corner(-1)} Z`;
}
