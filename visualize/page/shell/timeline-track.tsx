import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { topState } from "../../../machines/message/states.ts";
import { nameOf } from "../model/event-text.ts";
import { elapsed } from "../model/format.ts";
import type { PaneProps } from "../pane-props.ts";
import { shortened } from "../text/printable.ts";
import { BarList } from "../timeline/bar-list.tsx";
import { useColors } from "../timeline/colors.ts";
import { criticalPath } from "../timeline/critical-path.ts";
import { barAt, Inspection, type Point } from "../timeline/inspection.tsx";
import { changeOf, ZOOM } from "../timeline/keys.ts";
import { Notches } from "../timeline/notches.tsx";
import type { TimelineOptions } from "../timeline/options.ts";
import { Overview } from "../timeline/overview.tsx";
import { placesOn, placeValue } from "../timeline/places.ts";
import { heightOf, rowsOf, STRIP } from "../timeline/rows.ts";
import { axisOf, foldsOf, including, panned, type View, zoomed } from "../timeline/time-scale.ts";
import { TimelineCanvas } from "../timeline/timeline-canvas.tsx";
import { TimelineTools } from "../timeline/timeline-tools.tsx";
import { useWheel } from "../timeline/use-wheel.ts";
import { useWidth } from "../timeline/use-width.ts";

export interface TimelineTrackProps extends Pick<PaneProps, "trace" | "at" | "onGo"> {
  /** The time until which everything lasts that is open after the newest event. */
  readonly now: number;
  readonly matches: readonly number[];
  readonly options: TimelineOptions;
  readonly onOptions: (options: TimelineOptions) => void;
  /** The playback controls. */
  readonly children?: ReactNode;
}

/** A narrower timeline shows only the state until it is expanded, in pixels. */
const NARROW = 600;

/** The part of one axis that a person chose, and the waits that they opened. */
interface Chosen {
  /** The task and the kind of axis. */
  readonly of: string;
  readonly view: View | undefined;
  readonly opened: ReadonlySet<number>;
}

/** The lanes of a trace by time or by event, with a cursor that can be dragged. */
export function TimelineTrack(props: TimelineTrackProps) {
  const { trace, at, now, matches, options, onOptions, onGo, children } = props;
  const { isTime, isExpanded, hasList } = options;
  const whole = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const width = useWidth(stage);
  const isStrip = useWidth(whole) < NARROW && !isExpanded;
  const colors = useColors(whole);
  const { view, opened, setView, toggle } = useChosen(`${trace.taskId} ${isTime ? "time" : "event"}`);
  const [point, setPoint] = useState<Point | undefined>(undefined);
  const { index } = trace;
  const newest = trace.length - 1;

  const rows = useMemo(
    () => (isStrip ? STRIP : rowsOf(trace, matches.length > 0)),
    [isStrip, trace, matches.length],
  );
  const range = useMemo(() => {
    const extent = isTime ? { start: index.times[0] ?? 0, end: now } : { start: 0, end: newest + 1 };
    const folds = isTime ? foldsOf(index.timeline.quiet, { ...extent, width }, opened) : [];
    return { ...extent, folds, isTime };
  }, [isTime, index, now, newest, width, opened]);
  const axis = useMemo(() => axisOf({ ...range, width, view }), [range, width, view]);
  const places = useMemo(() => placesOn(axis, trace, range.end, isTime), [axis, trace, range.end, isTime]);
  const path = useMemo(
    () => criticalPath(index.timeline.bars, { seq: newest, at: now }),
    [index, newest, now],
  );

  const cursor = places.ofEvent(at);
  const shown = useRef(axis);
  shown.current = axis;
  const place = placeValue(at, trace, isTime);
  useEffect(() => setView((before) => before && including(shown.current, place)), [place, setView]);

  const zoom = (factor: number, x: number): void => setView(() => zoomed(axis, factor, x));
  useWheel(stage, zoom, (share) => setView(() => panned(axis, share)));
  const onKey = (event: KeyboardEvent, isOverview: boolean): void => {
    const change = changeOf(event.key, isOverview);
    if (change === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setView(() => change(axis, cursor));
  };
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
    const bar = barAt(to, rows, places, trace);
    onGo(bar === undefined || bar.lane === "state" || bar.lane === "model" ? places.eventAt(to.x) : bar.seq);
  };

  const state = index.paths[at] ?? "no_task";
  const tools = (
    <TimelineTools
      options={options}
      isStrip={isStrip}
      onOptions={onOptions}
      onZoom={(by) => zoom(ZOOM ** by, cursor)}
      onFit={view === undefined ? undefined : () => setView(() => undefined)}
    />
  );
  return (
    <section ref={whole} className="sb-timeline" aria-label="Timeline">
      <div className="sb-timeline-toolbar">
        {children}
        {!isStrip && tools}
      </div>
      <div className="sb-lanes" data-strip={isStrip} data-expanded={isExpanded}>
        <div className="sb-lanes-scroll">
          <ul className="sb-lane-names" aria-hidden="true">
            {rows.map(({ lane, row, name, top, height }) => (
              <li key={`${lane} ${row}`} style={{ top, height }}>
                {name}
              </li>
            ))}
          </ul>
          <div ref={stage} className="sb-stage" style={{ height: heightOf(rows) }}>
            <div
              className="sb-track"
              role="slider"
              tabIndex={0}
              aria-label="Event"
              aria-valuemin={0}
              aria-valuemax={newest}
              aria-valuenow={at}
              aria-valuetext={`event ${at} of ${newest}, ${shortened(nameOf(trace.event(at)))}, ${shortened(state)}`}
              onKeyDown={(event) => onKey(event, false)}
              onPointerDown={press}
              onPointerMove={move}
              onPointerLeave={() => setPoint(undefined)}
            >
              {width > 0 && colors !== undefined && (
                <TimelineCanvas {...{ trace, rows, places, width, matches, path, colors }} />
              )}
              {axis.ticks.map(({ x, value }) => (
                <span key={value} className="sb-tick sb-num" style={{ left: x }}>
                  {isTime ? elapsed(value) : value}
                </span>
              ))}
              {at < newest && <span className="sb-future" style={{ left: Math.max(0, cursor) }} />}
              {isTime && now > (index.times[newest] ?? 0) && (
                <span className="sb-now-line" style={{ left: places.end }} title="now" />
              )}
              <span className="sb-cursor" style={{ left: cursor }} data-state={topState(state)} />
            </div>
            <Notches trace={trace} axis={axis} end={range.end} opened={opened} onToggle={toggle} />
            {point !== undefined && <Inspection {...{ point, rows, places, trace, width }} end={now} />}
          </div>
        </div>
        {isStrip && tools}
        {!isStrip && colors !== undefined && (
          <Overview
            whole={range}
            onView={(next) => setView(() => next)}
            onKey={(event) => onKey(event, true)}
            {...{ trace, view, colors }}
          />
        )}
        {hasList && !isStrip && <BarList {...{ trace, places, path, width, onGo }} end={now} />}
      </div>
    </section>
  );
}

const NONE: ReadonlySet<number> = new Set();

/** The chosen part of this axis. Another axis begins with the whole. */
function useChosen(of: string) {
  const [chosen, setChosen] = useState<Chosen>({ of, view: undefined, opened: NONE });
  const now = chosen.of === of ? chosen : { of, view: undefined, opened: NONE };
  const latest = useRef(now);
  latest.current = now;
  const setView = useCallback((change: (before: View | undefined) => View | undefined): void => {
    setChosen({ ...latest.current, view: change(latest.current.view) });
  }, []);
  const toggle = (seq: number): void => {
    const opened = new Set(now.opened);
    if (!opened.delete(seq)) opened.add(seq);
    setChosen({ ...now, opened });
  };
  return { ...now, setView, toggle };
}
