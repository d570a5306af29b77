import { count, dollars, duration } from "../model/format.ts";
import { problemText } from "../model/problem-text.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import { barDuration, barText, verdictText } from "./bar-text.ts";
import type { Bar } from "./lanes.ts";
import type { Places } from "./places.ts";
import { heightOf, type Row } from "./rows.ts";

/** A position of the pointer over the lanes, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** How far a bar may be from the pointer, in pixels. */
const NEAR = 3;

/** The bar at a position. If several overlap, the one that started last. */
export function barAt(
  { x, y }: Point,
  rows: readonly Row[],
  places: Places,
  bars: readonly Bar[],
): Bar | undefined {
  const row = rows.find(({ top, height }) => y >= top && y < top + height);
  if (row === undefined) return undefined;
  return bars.findLast((bar) => {
    if (bar.lane !== row.lane || bar.row !== row.row) return false;
    const [from, to] = places.ofBar(bar);
    return x >= from - NEAR && x <= to + NEAR;
  });
}

export interface InspectionProps {
  readonly point: Point;
  readonly rows: readonly Row[];
  readonly places: Places;
  readonly bars: readonly Bar[];
  readonly trace: TraceSnapshot;
  readonly width: number;
  /** The time until which open bars last. */
  readonly end: number;
}

/** The activity at the pointer, with its duration and its event. The list has the same for a keyboard. */
export function Inspection({ point, rows, places, bars, trace, width, end }: InspectionProps) {
  const text = inspected({ point, rows, places, bars, trace, end });
  if (text === undefined) return null;
  const side = point.x > width / 2 ? { right: width - point.x + 8 } : { left: point.x + 8 };
  const height = heightOf(rows);
  const level = point.y > height / 2 ? { bottom: height - point.y + 8 } : { top: point.y + 16 };
  return (
    <div className="sb-inspection" aria-hidden="true" style={{ ...side, ...level }}>
      {text}
    </div>
  );
}

function inspected(of: Omit<InspectionProps, "width">): string | undefined {
  const { point, rows, places, bars, trace, end } = of;
  const row = rows.find(({ top, height }) => point.y >= top && point.y < top + height);
  const isNear = ({ seq }: { readonly seq: number }): boolean =>
    Math.abs(places.ofEvent(seq) - point.x) <= NEAR;
  const { timeline, problems, usage, times } = trace.index;
  const since = (seq: number): string => `+${duration((times[seq] ?? 0) - (times[0] ?? 0))}, event ${seq}`;
  if (row?.lane === "problems") {
    const problem = problems.list.find(isNear);
    return problem && `${problemText(problem, trace.index)} · ${since(problem.seq)}`;
  }
  if (row?.lane === "monitors") {
    const verdicts = timeline.verdicts.find(isNear);
    return verdicts && `${verdictText(verdicts.seq, trace)} · ${since(verdicts.seq)}`;
  }
  if (row?.lane === "usage") {
    const seq = places.eventAt(point.x);
    const size = timeline.context.findLast((known) => known.seq <= seq);
    const cost = usage.findLast((known) => known.seq <= seq)?.cost;
    const isCompacted = size?.isCompacted === true && isNear(size);
    return [
      `context of ${count(size?.tokens ?? 0)} tokens${isCompacted ? " after a compaction" : ""}`,
      ...(cost === undefined || cost === 0 ? [] : [dollars(cost)]),
    ].join(" · ");
  }
  const bar = barAt(point, rows, places, bars);
  return bar && `${barText(bar, trace)} · ${barDuration(bar, end)} · ${since(bar.seq)}`;
}
