import { useState } from "react";
import { plural } from "../../../present/plural.ts";
import { duration } from "../model/format.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import { barDuration, barText } from "./bar-text.ts";
import { type Link, timeByLane } from "./critical-path.ts";
import type { Bar } from "./lanes.ts";
import type { Places } from "./places.ts";
import { laneName } from "./rows.ts";

export interface BarListProps {
  readonly trace: TraceSnapshot;
  readonly bars: readonly Bar[];
  readonly places: Places;
  readonly path: readonly Link[];
  readonly width: number;
  readonly end: number;
  readonly onGo: (seq: number) => void;
}

/** The most bars that are listed. */
const LISTED_MAX = 200;

/** The bars of the shown part as text, and the critical path in sentences. */
export function BarList({ trace, bars, places, path, width, end, onGo }: BarListProps) {
  const [isByLength, setByLength] = useState(false);
  const inView = bars.flatMap((bar) => {
    const [from, to] = places.ofBar(bar);
    return to >= 0 && from <= width ? [{ bar, from, to }] : [];
  });
  const lengthOf = (bar: Bar): number => Math.min(bar.to ?? end, end) - bar.from;
  const shown = isByLength ? inView.toSorted((a, b) => lengthOf(b.bar) - lengthOf(a.bar)) : inView;
  const onPath = new Set(path.map(({ bar }) => bar));
  const start = trace.index.times[0] ?? 0;
  return (
    <section className="sb-bar-list" aria-label="Bars of the timeline">
      <p>
        Critical path:{" "}
        {timeByLane(path)
          .map(([lane, ms]) => `${laneName(lane)} ${duration(ms)}`)
          .join(", ")}
        .
        {shown.length > LISTED_MAX &&
          ` The first ${LISTED_MAX} of ${plural(shown.length, "bar")} follow: zoom in for others.`}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">lane</th>
            <th scope="col">activity</th>
            <th scope="col">began</th>
            <th scope="col" aria-sort={isByLength ? "descending" : undefined}>
              <button
                type="button"
                className="sb-link"
                title={isByLength ? "in order of time" : "the longest first"}
                onClick={() => setByLength(!isByLength)}
              >
                lasted{isByLength && " ↓"}
              </button>
            </th>
            <th scope="col">critical path</th>
          </tr>
        </thead>
        <tbody>
          {shown.slice(0, LISTED_MAX).map(({ bar, from, to }) => (
            <tr
              key={`${bar.lane} ${bar.row} ${bar.kind} ${bar.subject} ${bar.seq} ${bar.from}`}
              data-lane={bar.lane}
              data-kind={bar.kind}
              data-width={to - from}
            >
              <td>{laneName(bar.lane)}</td>
              <td>
                <button type="button" className="sb-link" onClick={() => onGo(bar.seq)}>
                  {barText(bar, trace)}, {barDuration(bar, end)}, event {bar.seq}
                </button>
              </td>
              <td className="sb-num">+{duration(bar.from - start)}</td>
              <td className="sb-num">{barDuration(bar, end)}</td>
              <td>{onPath.has(bar) ? "yes" : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
