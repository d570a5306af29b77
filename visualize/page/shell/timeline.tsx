import { Playback, type PlaybackProps } from "./playback.tsx";
import { TimelineTrack, type TimelineTrackProps } from "./timeline-track.tsx";

export interface TimelineProps
  extends Omit<TimelineTrackProps, "children">,
    Omit<PlaybackProps, keyof TimelineTrackProps | "isStrip"> {}

/** The timeline of a trace, with playback controls and search. */
export function Timeline(props: TimelineProps) {
  const { trace, tree, tasks, at, now, matches, options, onGo, onOptions } = props;
  return (
    <TimelineTrack {...{ trace, tree, tasks, at, now, matches, options, onGo, onOptions }}>
      {(isStrip) => <Playback {...props} isStrip={isStrip} />}
    </TimelineTrack>
  );
}
