import type { AgentLoopState } from "../../../machines/index.ts";
import { STATES } from "../model/state.ts";
import type { TraceIndex } from "../model/trace-index.ts";

/** The height of one state's lane, and what is above the first, in pixels of the picture. */
export const LANE = 10;
export const LINE_TOP = 3;
/** A screen has hardly more columns: what is finer is not drawn. */
const COLUMNS = 2_000;

export interface Line {
  /** What joins one stretch to the next. */
  readonly joins: string;
  /** Each state's stretches as bars in its lane. */
  readonly runs: Readonly<Record<AgentLoopState, string>>;
}

/** The line of the first `width` events. However many there are, it has no more pieces than there are columns. */
export function lineOf({ stretches }: TraceIndex, width: number): Line {
  const step = Math.max(1, width / COLUMNS);
  const bars = STATES.map((state) => ({ state, path: "", from: 0, to: -1 }));
  const joins: string[] = [];
  let before: number | undefined;
  let column = -1;
  for (const { state, from, to } of stretches) {
    if (from >= width) break;
    const lane = STATES.indexOf(state);
    const bar = bars[lane];
    if (bar === undefined) continue;
    if (bar.to >= 0 && from - bar.to < step) bar.to = to + 1;
    else {
      bar.path += pathOf(bar, lane);
      bar.from = from;
      bar.to = to + 1;
    }
    const middle = middleOf(lane);
    const here = Math.floor(from / step);
    if (before !== undefined && (here !== column || step === 1)) {
      joins.push(`M${from} ${before}V${middle}`);
      column = here;
    }
    before = middle;
  }
  const runs = Object.fromEntries(bars.map((bar, lane) => [bar.state, bar.path + pathOf(bar, lane)]));
  return { joins: joins.join(""), runs: runs as Line["runs"] };
}

const middleOf = (lane: number): number => LINE_TOP + (lane + 0.5) * LANE;

function pathOf({ from, to }: { readonly from: number; readonly to: number }, lane: number): string {
  const middle = middleOf(lane);
  return to < 0 ? "" : `M${from} ${middle - 3}H${to}V${middle + 3}H${from}Z`;
}

/** A rule at each of these places, one for a column. */
export function marksOf(places: readonly number[], width: number, height: number): string {
  const step = Math.max(1, width / COLUMNS);
  const columns = new Map(places.map((seq) => [Math.floor(seq / step), seq]));
  return [...columns.values()].map((seq) => `M${seq + 0.5} 0V${height}`).join("");
}
