import { memo, type PointerEvent, useMemo } from "react";
import type { TraceReader } from "../../../trace/index.ts";
import { nameOf } from "../model/event-words.ts";
import { STATE_WORDS, STATES, topOf } from "../model/state.ts";
import type { TraceIndex } from "../model/trace-index.ts";
import { shortened } from "../text/index.ts";
import { LANE, LINE_TOP, type Line, lineOf, marksOf } from "./line.ts";
import { StateShape } from "./state-mark.tsx";

const HEIGHT = STATES.length * LANE + 2 * LINE_TOP;

/** A lane for each state, the trace's line through them, and the rule that is dragged. */
export function Lanes({
  trace,
  index,
  at,
  end,
  matches,
  path,
  onGo,
}: {
  readonly trace: TraceReader;
  readonly index: TraceIndex;
  readonly at: number;
  readonly end: number;
  readonly matches: readonly number[];
  readonly path: string;
  readonly onGo: (seq: number) => void;
}) {
  const width = end + 1;
  // The number of events stands for the trace, which stays the same object as it grows.
  const line = useMemo(() => lineOf(index, width), [index, width]);
  const marks = useMemo(() => marksOf(matches, width, HEIGHT), [matches, width]);
  const go = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.type === "pointermove" && event.buttons !== 1) return;
    const box = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) / box.width) * width);
    onGo(Math.min(end, Math.max(0, place)));
  };
  return (
    <div className="sb-lanes">
      <ul className="sb-lane-names">
        {STATES.map((state) => (
          <li key={state} data-state={state} data-on={topOf(path) === state}>
            <StateShape state={state} />
            {STATE_WORDS[state]}
          </li>
        ))}
      </ul>
      <div
        className="sb-track"
        role="slider"
        tabIndex={0}
        aria-label="Place in the trace"
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
        <Drawn line={line} marks={marks} width={width} />
        <span className="sb-ahead" style={{ left: `${((at + 1) / width) * 100}%` }} />
        <span
          className="sb-needle"
          style={{ left: `${((at + 0.5) / width) * 100}%` }}
          data-state={topOf(path)}
        />
      </div>
    </div>
  );
}

/** What stays as it is while one goes to and fro. */
const Drawn = memo(function Drawn({
  line,
  marks,
  width,
}: {
  readonly line: Line;
  readonly marks: string;
  readonly width: number;
}) {
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {STATES.map((state, lane) => (
        <path key={state} className="sb-lane" d={`M0 ${LINE_TOP + (lane + 0.5) * LANE}H${width}`} />
      ))}
      <path className="sb-line" d={line.joins} />
      {STATES.map((state) => (
        <path key={state} className="sb-run" data-state={state} d={line.runs[state]} />
      ))}
      <path className="sb-match" d={marks} />
    </svg>
  );
});
