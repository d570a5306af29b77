import { duration } from "../model/format.ts";
import type { Navigation } from "../model/navigation.ts";
import type { PaneProps } from "../pane-props.ts";
import { EventPlace } from "./event-place.tsx";
import { EventSearch, type EventSearchProps } from "./event-search.tsx";
import { Tool, ToolIcon } from "./tool-button.tsx";
import { SPEEDS, type Speed } from "./use-playback.ts";

export interface PlaybackProps extends EventSearchProps, Pick<PaneProps, "trace" | "until"> {
  readonly isFollowing: boolean;
  readonly isLive: boolean;
  /** Whether the page has no connection: no new events come. */
  readonly isLost: boolean;
  readonly isPlaying: boolean;
  readonly speed: Speed;
  readonly onStep: (by: Navigation) => void;
  readonly onPlay: () => void;
  readonly onSpeed: (speed: Speed) => void;
  /** Whether only one row fits: the steps by event, the start of playback, `live` and the place. */
  readonly isStrip: boolean;
}

/** The controls of playback, the current event, and the search. */
export function Playback(props: PlaybackProps) {
  const { trace, at, until, isStrip, isPlaying, speed, onStep, onPlay, onSpeed } = props;
  const { times } = trace.index;
  const playback = isPlaying ? "pause" : "play";
  return (
    <div className="sb-playback" data-strip={isStrip} role="toolbar" aria-label="Playback">
      {!isStrip && (
        <>
          <Tool name="first event" icon="first" onClick={() => onStep("first")} />
          <Tool name="previous state" icon="backState" onClick={() => onStep("backState")} />
        </>
      )}
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
      {!isStrip && (
        <>
          <Tool name="next state" icon="nextState" onClick={() => onStep("nextState")} />
          <SpeedChoice speed={speed} onSpeed={onSpeed} />
        </>
      )}
      <LiveButton {...props} />
      <EventPlace {...props} />
      {!isStrip && (
        <>
          <Lasting ms={(times[at + 1] ?? until) - (times[at] ?? 0)} isLast={at === trace.length - 1} />
          <EventSearch {...props} />
        </>
      )}
    </div>
  );
}

function SpeedChoice({ speed, onSpeed }: Pick<PlaybackProps, "speed" | "onSpeed">) {
  return (
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
  );
}

function LiveButton({ isFollowing, isLive, isLost, onStep }: PlaybackProps) {
  return (
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
