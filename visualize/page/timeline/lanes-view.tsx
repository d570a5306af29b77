import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { topState } from "../../../machines/message/states.ts";
import { nameOf } from "../model/event-text.ts";
import { elapsed } from "../model/format.ts";
import type { PaneProps } from "../pane-props.ts";
import { shortened } from "../text/printable.ts";
import type { Colors } from "./colors.ts";
import type { Drawing } from "./drawing.ts";
import { barAt, Inspection, type Point } from "./inspection.tsx";
import { TimelineCanvas } from "./timeline-canvas.tsx";

export interface LanesProps extends Omit<Drawing, "colors">, Pick<PaneProps, "at" | "onGo"> {
  /** The end time of activities that are still open after the newest event. */
  readonly now: number;
  /** Undefined: they are not known yet. */
  readonly colors: Colors | undefined;
  readonly onKey: (event: KeyboardEvent) => void;
}

/** The lanes with their axis, and a cursor that can be dragged from event to event. */
export function Lanes(props: LanesProps) {
  const { trace, at, now, bars, rows, places, width, matches, path, colors, onGo, onKey } = props;
  const [point, setPoint] = useState<Point | undefined>(undefined);
  const pointOf = (event: PointerEvent<HTMLElement>): Point => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const move = (event: PointerEvent<HTMLElement>): void => {
    const to = pointOf(event);
    setPoint(event.buttons === 0 ? to : undefined);
    if (event.buttons === 1) onGo(places.eventAt(to.x));
  };
  const press = (event: PointerEvent<HTMLElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    const to = pointOf(event);
    const bar = barAt(to, rows, places, bars);
    onGo(bar === undefined || bar.lane === "state" || bar.lane === "model" ? places.eventAt(to.x) : bar.seq);
  };

  const newest = trace.length - 1;
  const state = trace.index.paths[at] ?? "no_task";
  const cursor = places.ofEvent(at);
  return (
    <>
      <div
        className="sb-track"
        role="slider"
        tabIndex={0}
        aria-label="Event"
        aria-valuemin={0}
        aria-valuemax={newest}
        aria-valuenow={at}
        aria-valuetext={`event ${at} of ${newest}, ${shortened(nameOf(trace.event(at)))}, ${shortened(state)}`}
        onKeyDown={onKey}
        onPointerDown={press}
        onPointerMove={move}
        onPointerLeave={() => setPoint(undefined)}
      >
        {width > 0 && colors !== undefined && (
          <TimelineCanvas {...{ trace, bars, rows, places, width, matches, path, colors }} />
        )}
        {places.axis.ticks.map(({ x, value }) => (
          <span key={value} className="sb-tick sb-num" style={{ left: x }}>
            {places.isTime ? elapsed(value) : value}
          </span>
        ))}
        {at < newest && <span className="sb-future" style={{ left: Math.max(0, cursor) }} />}
        {places.isTime && now > (trace.index.times[newest] ?? 0) && (
          <span className="sb-now-line" style={{ left: places.end }} title="now" />
        )}
        <span className="sb-cursor" style={{ left: cursor }} data-state={topState(state)} />
      </div>
      {point !== undefined && <Inspection {...{ point, rows, places, bars, trace, width }} end={now} />}
    </>
  );
}
