import { memo, type PointerEvent, useMemo } from "react";
import { AGENT_LOOP_STATES, topState } from "../../../machines/message/states.ts";
import { nameOf } from "../model/event-text.ts";
import { STATE_LABELS } from "../model/state.ts";
import type { PaneProps } from "../pane-props.ts";
import { shortened } from "../text/printable.ts";
import { StateIcon } from "./state-badge.tsx";
import { BAND_HEIGHT, markerPath, type TimelinePaths, TOP, timelinePaths } from "./timeline-paths.ts";

const HEIGHT = AGENT_LOOP_STATES.length * BAND_HEIGHT + 2 * TOP;

export interface TimelineTrackProps extends Pick<PaneProps, "trace" | "at" | "onGo"> {
  readonly matches: readonly number[];
}

/** The states over the events as a step line, with a cursor that can be dragged. */
export function TimelineTrack({ trace, at, matches, onGo }: TimelineTrackProps) {
  const { index, length: width } = trace;
  const end = width - 1;
  const path = index.paths[at] ?? "no_task";
  const paths = useMemo(() => timelinePaths(index, width), [index, width]);
  const markers = useMemo(() => markerPath(matches, width, HEIGHT), [matches, width]);
  const go = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.type === "pointermove" && event.buttons !== 1) return;
    const box = event.currentTarget.getBoundingClientRect();
    const seq = Math.floor(((event.clientX - box.left) / box.width) * width);
    onGo(Math.min(end, Math.max(0, seq)));
  };
  return (
    <div className="sb-bands">
      <ul className="sb-band-names">
        {AGENT_LOOP_STATES.map((state) => (
          <li key={state} data-state={state} data-on={topState(path) === state}>
            <StateIcon state={state} />
            {STATE_LABELS[state]}
          </li>
        ))}
      </ul>
      <div
        className="sb-track"
        role="slider"
        tabIndex={0}
        aria-label="Event"
        aria-valuemin={0}
        aria-valuemax={end}
        aria-valuenow={at}
        aria-valuetext={`event ${at} of ${end}, ${shortened(nameOf(trace.event(at)))}, ${shortened(path)}`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          go(event);
        }}
        onPointerMove={go}
      >
        <Drawing paths={paths} markers={markers} width={width} />
        <span className="sb-future" style={{ left: `${((at + 1) / width) * 100}%` }} />
        <span
          className="sb-cursor"
          style={{ left: `${((at + 0.5) / width) * 100}%` }}
          data-state={topState(path)}
        />
      </div>
    </div>
  );
}

interface DrawingProps {
  readonly paths: TimelinePaths;
  readonly markers: string;
  readonly width: number;
}

/** The part that does not depend on the current event. */
const Drawing = memo(function Drawing({ paths, markers, width }: DrawingProps) {
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {AGENT_LOOP_STATES.map((state, band) => (
        <path key={state} className="sb-band" d={`M0 ${TOP + (band + 0.5) * BAND_HEIGHT}H${width}`} />
      ))}
      <path className="sb-line" d={paths.joins} />
      {AGENT_LOOP_STATES.map((state) => (
        <path key={state} className="sb-span" data-state={state} d={paths.spans[state]} />
      ))}
      <path className="sb-match" d={markers} />
    </svg>
  );
});
