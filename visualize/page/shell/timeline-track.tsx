import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from "react";
import type { TaskInfo } from "../../../wire/http/api.ts";
import type { SubtaskTree } from "../model/subtask-tree.ts";
import type { PaneProps } from "../pane-props.ts";
import { BarList } from "../timeline/bar-list.tsx";
import { useColors } from "../timeline/colors.ts";
import { criticalPath } from "../timeline/critical-path.ts";
import { changeOf, ZOOM } from "../timeline/keys.ts";
import { Lanes } from "../timeline/lanes-view.tsx";
import { nestedBars } from "../timeline/nested-bars.ts";
import { Notches } from "../timeline/notches.tsx";
import type { TimelineOptions } from "../timeline/options.ts";
import { Overview } from "../timeline/overview.tsx";
import { placesOn, placeValue } from "../timeline/places.ts";
import { heightOf, rowsOf, STRIP } from "../timeline/rows.ts";
import { axisOf, foldsOf, including, panned, zoomed } from "../timeline/time-scale.ts";
import { TimelineTools } from "../timeline/timeline-tools.tsx";
import { useChosen } from "../timeline/use-chosen.ts";
import { usePinch } from "../timeline/use-pinch.ts";
import { useWheel } from "../timeline/use-wheel.ts";
import { useWidth } from "../use-width.ts";

export interface TimelineTrackProps extends Pick<PaneProps, "trace" | "at" | "onGo"> {
  /** The subtasks of the trace. */
  readonly tree: SubtaskTree;
  /** The newest facts about them. */
  readonly tasks: readonly TaskInfo[];
  /** The end time of activities that are still open after the newest event. */
  readonly now: number;
  readonly matches: readonly number[];
  readonly options: TimelineOptions;
  readonly onOptions: (options: TimelineOptions) => void;
  /** The playback controls. `isStrip`: only one row of them fits. */
  readonly children: (isStrip: boolean) => ReactNode;
}

/** A narrower timeline shows only the state and one row of controls until it is expanded, in pixels. */
const NARROW = 600;

/** The lanes of a trace by time or by event, with a cursor that can be dragged. */
export function TimelineTrack(props: TimelineTrackProps) {
  const { trace, tree, tasks, at, now, matches, options, onOptions, onGo, children } = props;
  const { isTime, isExpanded, hasList } = options;
  const whole = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const width = useWidth(stage) ?? 0;
  const isStrip = (useWidth(whole) ?? NARROW) < NARROW && !isExpanded;
  const colors = useColors(whole);
  const { view, opened, setView, toggle } = useChosen(`${trace.taskId} ${isTime ? "time" : "event"}`);
  const { index } = trace;
  const newest = trace.length - 1;

  const nested = useMemo(() => nestedBars(trace, tree, tasks), [trace, tree, tasks]);
  const bars = useMemo(() => [...nested.own, ...nested.bars], [nested]);
  const rows = useMemo(
    () => (isStrip ? STRIP : rowsOf(trace, matches.length > 0, nested)),
    [isStrip, trace, matches.length, nested],
  );
  const end = isTime ? now : newest + 1;
  const range = useMemo(() => {
    const extent = { start: isTime ? (index.times[0] ?? 0) : 0, end };
    const folds = isTime ? foldsOf(index.timeline.quiet, { ...extent, width }, opened) : [];
    return { ...extent, folds, isTime };
  }, [isTime, index, end, width, opened]);
  const axis = useMemo(() => axisOf({ ...range, width, view }), [range, width, view]);
  const places = useMemo(() => placesOn(axis, trace, end, isTime), [axis, trace, end, isTime]);
  // By event only the list has times that grow.
  const pathEnd = isTime || hasList ? now : (index.times[newest] ?? now);
  const path = useMemo(
    () => criticalPath(nested.own, { seq: newest, at: pathEnd }),
    [nested, newest, pathEnd],
  );

  const cursor = places.ofEvent(at);
  const shown = useRef(axis);
  shown.current = axis;
  const place = placeValue(at, trace, isTime);
  useEffect(() => setView((before) => before && including(shown.current, place)), [place, setView]);

  const zoom = (factor: number, x: number): void => setView(() => zoomed(axis, factor, x));
  usePinch(stage, (x) => (factor) => setView(() => zoomed(axis, factor, x)));
  useWheel(stage, zoom, (share) => setView(() => panned(axis, share)));
  const onKey = (event: KeyboardEvent, isOverview: boolean): void => {
    const change = changeOf(event.key, isOverview);
    if (change === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setView(() => change(axis, cursor));
  };
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
        {children(isStrip)}
        {!isStrip && tools}
      </div>
      <div className="sb-lanes" data-strip={isStrip} data-expanded={isExpanded}>
        <div className="sb-lanes-scroll">
          <ul className="sb-lane-names" aria-hidden="true">
            {rows.map(({ lane, row, name, title, top, height }) => (
              <li key={`${lane} ${row}`} style={{ top, height }} title={title}>
                {name}
              </li>
            ))}
          </ul>
          <div ref={stage} className="sb-stage" style={{ height: heightOf(rows) }}>
            <Lanes
              {...{ trace, at, now, bars, rows, places, width, matches, path, colors, onGo }}
              onKey={(event) => onKey(event, false)}
            />
            <Notches trace={trace} axis={axis} end={end} opened={opened} onToggle={toggle} />
          </div>
        </div>
        {isStrip && tools}
        {!isStrip && colors !== undefined && (
          <Overview
            whole={range}
            onView={(next) => setView(() => next)}
            onKey={(event) => onKey(event, true)}
            view={view && axis.view}
            {...{ trace, colors }}
          />
        )}
        {hasList && !isStrip && <BarList {...{ trace, bars, places, path, width, onGo }} end={now} />}
      </div>
    </section>
  );
}
