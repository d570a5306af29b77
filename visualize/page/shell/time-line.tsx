import type { TraceReader } from "../../../trace/index.ts";
import { nameOf } from "../model/event-words.ts";
import { clock, duration } from "../model/format.ts";
import { topOf } from "../model/state.ts";
import type { Step } from "../model/step.ts";
import type { TraceIndex } from "../model/trace-index.ts";
import { shortened } from "../text/index.ts";
import { Lanes } from "./lanes.tsx";
import { StateShape } from "./state-mark.tsx";
import { SPEEDS, type Speed } from "./use-playing.ts";

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
