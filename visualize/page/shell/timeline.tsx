import { topState } from "../../../machines/message/states.ts";
import { nameOf, timeOf } from "../model/event-text.ts";
import { clock, duration } from "../model/format.ts";
import type { Navigation } from "../model/navigation.ts";
import type { PaneProps } from "../pane-props.ts";
import { shortened } from "../text/printable.ts";
import { StateIcon } from "./state-badge.tsx";
import { TimelineTrack, type TimelineTrackProps } from "./timeline-track.tsx";
import { SPEEDS, type Speed } from "./use-playback.ts";

export interface TimelineProps extends TimelineTrackProps, Pick<PaneProps, "until"> {
  readonly isFollowing: boolean;
  readonly isLive: boolean;
  /** Whether the page has no connection: no new events come. */
  readonly isLost: boolean;
  readonly isPlaying: boolean;
  readonly speed: Speed;
  readonly query: string;
  readonly onStep: (by: Navigation) => void;
  readonly onPlay: () => void;
  readonly onSpeed: (speed: Speed) => void;
  readonly onQuery: (query: string) => void;
}

/** The timeline of a trace, with playback controls and search. */
export function Timeline(props: TimelineProps) {
  const { trace, at, until, now, options, isFollowing, isLive, isLost, isPlaying, speed, query, matches } =
    props;
  const { onGo, onStep, onPlay, onSpeed, onQuery, onOptions } = props;
  const { index } = trace;
  const end = trace.length - 1;
  const event = trace.event(at);
  const path = index.paths[at] ?? "no_task";
  const lasts = (index.times[at + 1] ?? until) - (index.times[at] ?? 0);
  const since = (index.times[at] ?? 0) - (index.times[0] ?? 0);
  const playback = isPlaying ? "pause" : "play";
  const match = matches.filter((seq) => seq <= at).length;
  return (
    <TimelineTrack {...{ trace, at, now, matches, options, onGo, onOptions }}>
      <div className="sb-playback" role="toolbar" aria-label="Playback">
        <Tool name="first event" icon="first" onClick={() => onStep("first")} />
        <Tool name="previous state" icon="backState" onClick={() => onStep("backState")} />
        <Tool name="previous event" icon="back" onClick={() => onStep("back")} />
        <button
          type="button"
          className="sb-play"
          aria-pressed={isPlaying}
          title={playback}
          aria-label={playback}
          onClick={onPlay}
        >
          <ToolIcon of={playback} />
        </button>
        <Tool name="next event" icon="next" onClick={() => onStep("next")} />
        <Tool name="next state" icon="nextState" onClick={() => onStep("nextState")} />
        <label className="sb-speed">
          <span className="sb-visually-hidden">speed</span>
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
        <button
          type="button"
          className="sb-live"
          aria-pressed={isFollowing && !isLost}
          disabled={isLost}
          title="follow the newest event"
          onClick={() => onStep("live")}
        >
          <i /> {isLive ? "live" : "end"}
        </button>
        <span className="sb-now" aria-live="polite">
          <b className="sb-num" data-testid="place">
            {at}
          </b>
          <span className="sb-num sb-dim"> / {end}</span>
          <StateIcon state={topState(path)} />
          <b className="sb-mono">{shortened(nameOf(event))}</b>
          <span className="sb-dim">
            from <span className="sb-mono">{shortened(event.from)}</span>
            {event.because !== undefined && (
              <>
                {" "}
                started by{" "}
                <button type="button" className="sb-link sb-num" onClick={() => onGo(event.because ?? 0)}>
                  {event.because}
                </button>
              </>
            )}
          </span>
          <span className="sb-num sb-dim">{clock(timeOf(event))}</span>
          <span className="sb-num sb-dim">+{duration(since)}</span>
        </span>
        <Lasting ms={lasts} isLast={at === end} />
        <search className="sb-search">
          <input
            type="search"
            value={query}
            placeholder="Search events"
            aria-label="Search events and texts"
            data-search=""
            onChange={({ target }) => onQuery(target.value)}
            onKeyDown={({ key, currentTarget, shiftKey }) => {
              if (key === "Enter") goToMatch(shiftKey ? -1 : 1, props);
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
      </div>
    </TimelineTrack>
  );
}

/** The time from the current event to the next, or until now. It is no live region: it changes each second. */
function Lasting({ ms, isLast }: { readonly ms: number; readonly isLast: boolean }) {
  if (ms < 1_000) return null;
  return (
    <span className="sb-lasting sb-num" title={isLast ? "since this event" : "until the next event"}>
      {isLast ? "since then" : "next after"} {duration(ms)}
    </span>
  );
}

/** Go to the next match in this direction, wrapping around. */
export function goToMatch(by: 1 | -1, { matches, at, onGo }: Pick<TimelineProps, "matches" | "at" | "onGo">) {
  const next =
    by === 1
      ? (matches.find((seq) => seq > at) ?? matches[0])
      : (matches.findLast((seq) => seq < at) ?? matches.at(-1));
  if (next !== undefined) onGo(next);
}

/** Icons of the tools as paths: not every font has them. */
const ICONS = {
  first: "M3 3v10M13 3.5 L6 8 L13 12.5Z",
  backState: "M8 3.5 L1.5 8 L8 12.5ZM14.5 3.5 L8 8 L14.5 12.5Z",
  back: "M11 3.5 L4.5 8 L11 12.5Z",
  play: "M4 2.5 L13 8 L4 13.5Z",
  pause: "M4 3h3v10H4ZM9.5 3h3v10h-3Z",
  next: "M5 3.5 L11.5 8 L5 12.5Z",
  nextState: "M1.5 3.5 L8 8 L1.5 12.5ZM8 3.5 L14.5 8 L8 12.5Z",
} as const;

type IconName = keyof typeof ICONS;

function ToolIcon({ of }: { readonly of: IconName }) {
  return (
    <svg className="sb-tool-icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={ICONS[of]} />
    </svg>
  );
}

function Tool({ name, icon, onClick }: Readonly<{ name: string; icon: IconName; onClick: () => void }>) {
  return (
    <button type="button" className="sb-tool" title={name} aria-label={name} onClick={onClick}>
      <ToolIcon of={icon} />
    </button>
  );
}
