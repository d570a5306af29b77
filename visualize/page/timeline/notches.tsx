import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import { foldText } from "./bar-text.ts";
import { type Axis, untilEnd } from "./time-scale.ts";

export interface NotchesProps {
  readonly trace: TraceSnapshot;
  readonly axis: Axis;
  readonly end: number;
  readonly opened: ReadonlySet<number>;
  /** Open or fold the wait that this event started. */
  readonly onToggle: (seq: number) => void;
}

/** The narrowest notch that has a label, in pixels. */
const LABEL_MIN = 84;

/** The labels of folded waits, which open on a click, and of the opened ones, which fold. */
export function Notches({ trace, axis, end, opened, onToggle }: NotchesProps) {
  const [left, right] = axis.view;
  const open = trace.index.timeline.quiet
    .map((wait) => untilEnd(wait, end))
    .filter(({ seq, from, to }) => opened.has(seq) && axis.unitOf(to) >= left && axis.unitOf(from) <= right);
  return (
    <>
      {axis.notches.map(({ fold, x, width }) => {
        const [length, reason] = foldText(fold);
        return (
          <button
            key={fold.seq}
            type="button"
            className="sb-notch"
            title={`open ${length} ${reason}`}
            aria-label={`Open ${length} ${reason}`}
            style={{ left: x, width }}
            onClick={() => onToggle(fold.seq)}
          >
            {width >= LABEL_MIN && (
              <span>
                <b className="sb-num">{length}</b> {reason}
              </span>
            )}
          </button>
        );
      })}
      {open.map((fold) => {
        const [length, reason] = foldText(fold);
        return (
          <button
            key={fold.seq}
            type="button"
            className="sb-fold"
            aria-label={`Fold ${length} ${reason}`}
            title={`fold ${length} ${reason}`}
            style={{ left: Math.max(0, axis.x(fold.from)) }}
            onClick={() => onToggle(fold.seq)}
          >
            fold {length} {reason}
          </button>
        );
      })}
    </>
  );
}
