import { type PointerEvent, useMemo, useRef } from "react";
import type { TraceReader } from "../../../trace/index.ts";
import { nameOf } from "../model/event-words.ts";
import { clock, duration } from "../model/format.ts";
import { STATE_WORDS, STATES, topOf } from "../model/state.ts";
import type { Step } from "../model/step.ts";
import type { TraceIndex } from "../model/trace-index.ts";
import { shortened } from "../text/index.ts";
import { StateShape } from "./state-mark.tsx";
import { SPEEDS, type Speed } from "./use-playing.ts";

/** The height of one state's lane, in pixels of the picture. */
const LANE = 10;
const TOP = 3;

export interface TimeLineProps {
  readonly trace: TraceReader;
  readonly index: TraceIndex;
  readonly at: number;
  readonly isFollowing: boolean;
  readonly isLive: boolean;
  readonly isPlaying: boolean;
  readonly speed: Speed;
  readonly query: string;
  readonly matches: readonly number[];
  readonly onGo: (seq: number) => void;
  readonly onStep: (by: Step) => void;
  readonly onPlay: () => void;
  readonly onSpeed: (speed: Speed) => void;
  readonly onQuery: (query: string) => void;
}

/** One line over all panes: the task goes through its six lanes like a train, and the rule is where one looks. */
export function TimeLine(props: TimeLineProps) {
  const { trace, index, at, isFollowing, isLive, isPlaying, speed, query, matches } = props;
  const { onGo, onStep, onPlay, onSpeed, onQuery } = props;
  const end = trace.length - 1;
  const event = trace.event(at);
  const path = index.paths[at] ?? "no_task";
  const since = (index.times[at] ?? 0) - (index.times[0] ?? 0);
  const match = matches.filter((seq) => seq <= at).length;
  return (
    <section className="sb-time" aria-label="Time line">
      <div className="sb-time-tools" role="toolbar" aria-label="Go through the trace">
        <Tool name="first event" sign="first" onClick={() => onStep("first")} />
        <Tool name="state before" sign="backState" onClick={() => onStep("backState")} />
        <Tool name="event before" sign="back" onClick={() => onStep("back")} />
        <button
          type="button"
          className="sb-play"
          aria-pressed={isPlaying}
          title={isPlaying ? "halt" : "play"}
          aria-label={isPlaying ? "halt" : "play"}
          onClick={onPlay}
        >
          <Sign of={isPlaying ? "halt" : "play"} />
        </button>
        <Tool name="next event" sign="next" onClick={() => onStep("next")} />
        <Tool name="next state" sign="nextState" onClick={() => onStep("nextState")} />
        <label className="sb-speed">
          <span className="sb-unseen">speed</span>
          <select
            value={speed}
            onChange={({ target }) => onSpeed(SPEEDS.find((one) => String(one) === target.value) ?? 1)}
          >
            {SPEEDS.map((one) => (
              <option key={one} value={one}>
                {one}×
              </option>
            ))}
          </select>
        </label>
        <span className="sb-now" aria-live="polite">
          <b className="sb-num" data-testid="place">
            {at}
          </b>
          <span className="sb-num sb-dim"> / {end}</span>
          <StateShape state={topOf(path)} />
          <b className="sb-mono">{shortened(nameOf(event))}</b>
          <span className="sb-dim">
            from <span className="sb-mono">{shortened(event.from)}</span>
            {event.because !== undefined && (
              <>
                {" "}
                begun by{" "}
                <button type="button" className="sb-link sb-num" onClick={() => onGo(event.because ?? 0)}>
                  {event.because}
                </button>
              </>
            )}
          </span>
          <span className="sb-num sb-dim">{clock(index.times[at] ?? 0)}</span>
          <span className="sb-num sb-dim">+{duration(since)}</span>
        </span>
        <search className="sb-search">
          <input
            type="search"
            value={query}
            placeholder="search events and texts"
            aria-label="Search events and texts"
            data-search=""
            onChange={({ target }) => onQuery(target.value)}
            onKeyDown={({ key, currentTarget, shiftKey }) => {
              if (key === "Enter") goToMatch(matches, at, shiftKey ? -1 : 1, onGo);
              if (key === "Escape") {
                onQuery("");
                currentTarget.blur();
              }
            }}
          />
          {query !== "" && (
            <span className="sb-num" aria-live="polite">
              {matches.length === 0 ? "none" : `${match} / ${matches.length}`}
            </span>
          )}
        </search>
        <button
          type="button"
          className="sb-live"
          aria-pressed={isFollowing}
          title="the newest event, and on with it"
          onClick={() => onStep("live")}
        >
          <i /> {isLive ? "live" : "end"}
        </button>
      </div>
      <Lanes trace={trace} index={index} at={at} end={end} matches={matches} path={path} onGo={onGo} />
    </section>
  );
}

/** The next match in this direction, around the ends. */
export function goToMatch(
  matches: readonly number[],
  at: number,
  step: 1 | -1,
  onGo: (seq: number) => void,
): void {
  const next =
    step === 1
      ? (matches.find((seq) => seq > at) ?? matches[0])
      : (matches.findLast((seq) => seq < at) ?? matches.at(-1));
  if (next !== undefined) onGo(next);
}

/** The signs of the tools, drawn: not every font has them. */
const SIGNS = {
  first: "M3 3v10M13 3.5 L6 8 L13 12.5Z",
  backState: "M8 3.5 L1.5 8 L8 12.5ZM14.5 3.5 L8 8 L14.5 12.5Z",
  back: "M11 3.5 L4.5 8 L11 12.5Z",
  play: "M4 2.5 L13 8 L4 13.5Z",
  halt: "M4 3h3v10H4ZM9.5 3h3v10h-3Z",
  next: "M5 3.5 L11.5 8 L5 12.5Z",
  nextState: "M1.5 3.5 L8 8 L1.5 12.5ZM8 3.5 L14.5 8 L8 12.5Z",
} as const;

function Sign({ of }: { readonly of: keyof typeof SIGNS }) {
  return (
    <svg className="sb-tool-sign" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={SIGNS[of]} />
    </svg>
  );
}

function Tool({
  name,
  sign,
  onClick,
}: {
  readonly name: string;
  readonly sign: keyof typeof SIGNS;
  readonly onClick: () => void;
}) {
  return (
    <button type="button" className="sb-tool" title={name} aria-label={name} onClick={onClick}>
      <Sign of={sign} />
    </button>
  );
}

function Lanes({
  trace,
  index,
  at,
  end,
  matches,
  path,
  onGo,
}: Pick<TimeLineProps, "trace" | "index" | "at" | "matches" | "onGo"> & {
  readonly end: number;
  readonly path: string;
}) {
  const track = useRef<HTMLDivElement>(null);
  const width = end + 1;
  // The number of events stands for the trace, which stays the same object as it grows.
  const line = useMemo(() => lineOf(index, width), [index, width]);
  const go = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.type === "pointermove" && event.buttons !== 1) return;
    const box = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) / box.width) * width);
    onGo(Math.min(end, Math.max(0, place)));
  };
  const height = STATES.length * LANE + 2 * TOP;
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
        ref={track}
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
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {STATES.map((state, lane) => (
            <path key={state} className="sb-lane" d={`M0 ${TOP + (lane + 0.5) * LANE}H${width}`} />
          ))}
          <path className="sb-line" d={line.joins} />
          {STATES.map((state) => (
            <path key={state} className="sb-run" data-state={state} d={line.runs[state]} />
          ))}
          {matches.map((seq) => (
            <path key={seq} className="sb-match" d={`M${seq + 0.5} 0V${height}`} />
          ))}
          <path className="sb-ahead" d={`M${at + 1} 0H${width}V${height}H${at + 1}Z`} />
        </svg>
        <span
          className="sb-needle"
          style={{ left: `${((at + 0.5) / width) * 100}%` }}
          data-state={topOf(path)}
        />
      </div>
    </div>
  );
}

/** Each state's stretches as bars in its lane, and what joins one to the next. */
function lineOf(
  index: TraceIndex,
  width: number,
): { readonly joins: string; readonly runs: Record<string, string> } {
  const runs: Record<string, string> = Object.fromEntries(STATES.map((state) => [state, ""]));
  let joins = "";
  let before: number | undefined;
  for (const { state, from, to } of index.stretches) {
    if (from >= width) break;
    const middle = TOP + (STATES.indexOf(state) + 0.5) * LANE;
    runs[state] += `M${from} ${middle - 3}H${to + 1}V${middle + 3}H${from}Z`;
    if (before !== undefined) joins += `M${from} ${before}V${middle}`;
    before = middle;
  }
  return { joins, runs };
}
