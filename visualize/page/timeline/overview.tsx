import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import { useWidth } from "../use-width.ts";
import type { Colors } from "./colors.ts";
import { placesOn } from "./places.ts";
import type { Row } from "./rows.ts";
import { type Axis, type AxisOptions, axisOf, type View, within } from "./time-scale.ts";
import { TimelineCanvas } from "./timeline-canvas.tsx";

const ROWS: readonly Row[] = [{ lane: "state", row: 0, name: "", top: 0, height: 20, isPlain: true }];
const NOTHING: readonly never[] = [];
/** A shorter drag is a click, in pixels. */
const DRAG_MIN = 4;

export interface OverviewProps {
  readonly trace: TraceSnapshot;
  readonly whole: Omit<AxisOptions, "width" | "view">;
  readonly view: View | undefined;
  readonly colors: Colors;
  readonly onView: (view: View | undefined) => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

/** A drag that moves the shown part, or chooses another one. */
interface Drag {
  readonly isMove: boolean;
  readonly x: number;
  readonly view: View;
}

/** The states of the whole trace, with a frame around the shown part: a drag chooses it, or moves the frame. */
export function Overview({ trace, whole, view, colors, onView, onKey }: OverviewProps) {
  const strip = useRef<HTMLDivElement>(null);
  const width = useWidth(strip) ?? 0;
  const [drag, setDrag] = useState<Drag | undefined>(undefined);
  const axis = useMemo(() => axisOf({ ...whole, width, view: undefined }), [whole, width]);
  const places = useMemo(() => placesOn(axis, trace, whole.end, whole.isTime), [axis, trace, whole]);
  const [from, to] = view ?? axis.view;
  const share = (unit: number): number => Math.round((100 * unit) / axis.span);
  const placeOf = ({ clientX, currentTarget }: PointerEvent<HTMLDivElement>): number =>
    clientX - currentTarget.getBoundingClientRect().left;
  const start = (event: PointerEvent<HTMLDivElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    const x = placeOf(event);
    const unit = axis.inView(x);
    setDrag({ isMove: view !== undefined && unit >= from && unit <= to, x, view: [from, to] });
  };
  const move = (event: PointerEvent<HTMLDivElement>): void => {
    if (drag === undefined) return;
    const x = placeOf(event);
    if (Math.abs(x - drag.x) < DRAG_MIN) return;
    onView(within(draggedView(axis, drag, x), axis.span));
  };
  return (
    <div
      ref={strip}
      className="sb-overview"
      role="slider"
      tabIndex={0}
      aria-label="Shown part"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share((from + to) / 2)}
      aria-valuetext={`${share(from)} % to ${share(to)} % of the timeline`}
      onPointerDown={start}
      onPointerMove={move}
      onPointerUp={() => setDrag(undefined)}
      onDoubleClick={() => onView(undefined)}
      onKeyDown={onKey}
    >
      {width > 0 && (
        <TimelineCanvas
          trace={trace}
          bars={trace.index.timeline.bars}
          rows={ROWS}
          places={places}
          width={width}
          matches={NOTHING}
          path={NOTHING}
          colors={colors}
        />
      )}
      {view !== undefined && (
        <span
          className="sb-frame"
          style={{ left: placeOfUnit(axis, from), width: placeOfUnit(axis, to) - placeOfUnit(axis, from) }}
        />
      )}
    </div>
  );
}

function draggedView(axis: Axis, { isMove, x: before, view: [from, to] }: Drag, x: number): View {
  const [one, other] = [axis.inView(before), axis.inView(x)];
  if (isMove) return [from + other - one, to + other - one];
  return [Math.min(one, other), Math.max(one, other)];
}

/** The position of a unit of the whole axis, in pixels. */
const placeOfUnit = (axis: Axis, unit: number): number => axis.x(axis.valueOf(unit));
